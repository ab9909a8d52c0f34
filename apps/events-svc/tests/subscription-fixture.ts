import { defined } from "@platform/kit/process/fields";
import { eventually } from "@platform/test-kit/eventually";
import { Webhook } from "standardwebhooks";
import { callFor, operatorCall } from "./fixture.ts";
import { startScheduleBed } from "./schedule-fixture.ts";
import type { Arrival } from "./target.ts";

export const signingSecret = `whsec_${Buffer.from("k".repeat(32)).toString("base64")}`;

/** A server and a worker of events-svc, with helpers for tests of subscriptions. */
export async function startSubscriptionBed(...options: Parameters<typeof startScheduleBed>) {
  const bed = await startScheduleBed(...options);
  const { subscriptions } = bed.server;
  const show = async (subscriptionId: string) => {
    const { subscription } = await subscriptions.getSubscription({ subscriptionId }, operatorCall());
    if (subscription === undefined) throw new Error("no subscription was answered");
    const { position, lag, failures, status } = subscription;
    return { status, position: Number(position), lag: Number(lag), failures: Number(failures) };
  };
  return {
    ...bed,
    subscriptions,
    show,
    /** Waits until a subscription meets a condition. */
    shownWhen: (id: string, isSo: (shown: Awaited<ReturnType<typeof show>>) => boolean) =>
      eventually(async () => {
        const shown = await show(id);
        return isSo(shown) ? shown : undefined;
      }),
    /** Registers an operation of a client and subscribes it. */
    subscribe: async (
      clientId: string,
      fields: {
        types?: string[];
        filter?: string;
        from?: number;
        order?: string;
        url?: string;
        maxAttempts?: number;
      } = {},
    ): Promise<{ id: string; operationId: string }> => {
      const { types = ["*"], filter, from, order = "none", ...operation } = fields;
      const operationId = await bed.register(clientId, { secret: signingSecret, ...operation });
      const request = { operationId, types, order, ...defined({ filter }) };
      const { subscription } = await subscriptions.createSubscription(
        from === undefined ? request : { ...request, afterPosition: BigInt(from) },
        operatorCall(),
      );
      return { id: subscription?.id ?? "", operationId };
    },
    /** Publishes an event and returns its id. */
    publish: async (
      clientId: string,
      type: string,
      fields: { data?: unknown; dataJson?: string; streamId?: string; sequence?: number } = {},
    ): Promise<string> => {
      const { data = {}, dataJson = JSON.stringify(data), streamId, sequence } = fields;
      const { event } = await bed.server.events.publishDomainEvent(
        {
          type,
          schemaVersion: 1,
          dataJson,
          ...(streamId === undefined ? {} : { streamId, sequence: BigInt(sequence ?? 1) }),
        },
        callFor(clientId),
      );
      return event?.id ?? "";
    },
    /** Waits until the given number of calls has arrived at the client's path. */
    arrived: (clientId: string, count: number) =>
      eventually(() => bed.target.arrivalsAt(`/${clientId}`).length >= count, { what: `${count} calls` }),
    /** The verified events that have arrived at the client's path. */
    eventsAt: (clientId: string) => bed.target.arrivalsAt(`/${clientId}`).map(eventOf),
  };
}

export type SubscriptionBed = Awaited<ReturnType<typeof startSubscriptionBed>>;

/** The event in a call. The call's time is not checked, because the test sets the clock. */
export function eventOf({ body }: Arrival): Record<string, unknown> & { id: string; position: string } {
  return JSON.parse(body.toString("utf8"));
}

/** Throws unless the call is signed as Standard Webhooks requires. */
export function verify({ headers, body }: Arrival): void {
  const id = `${headers["webhook-id"]}`;
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  const expected = new Webhook(signingSecret).sign(id, at, body.toString("utf8"));
  if (headers["webhook-signature"] !== expected) throw new Error("the signature does not match");
}
