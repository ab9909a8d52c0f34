import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  callOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
});
afterAll(() => stack.close());

type Ids = { clientId: string; profileId: string; endpointId: string };

/** Queues ten messages to one endpoint while no worker runs, then does something to the endpoint. */
async function queuedThen(act: (ids: Ids) => Promise<unknown>) {
  const { clientId, profileId } = await prepareClient(stack, "line");
  const { endpointId, address } = await verifiedEndpoint(stack, "line", clientId);
  const ids = { clientId, profileId, endpointId };
  const deliveryIds = await Promise.all(Array.from({ length: 10 }, () => send(stack, "line", ids)));
  await act(ids);
  return { clientId, deliveryIds, address };
}

describe("what may no longer be sent when a worker comes to it", () => {
  it("is not sent: consent withdrawn, endpoint revoked, endpoint revoked and linked again", async () => {
    const revoke = ({ endpointId, clientId }: Ids) =>
      stack.endpoints.revokeDeliveryEndpoint({ endpointId }, callOf(clientId));
    const withdrawn = await queuedThen(({ endpointId, clientId }) =>
      stack.endpoints.setDeliveryConsent({ endpointId, purpose: "orders", granted: false }, callOf(clientId)),
    );
    const revoked = await queuedThen(revoke);
    const linkedAgain = await queuedThen(revoke);
    await stack.admin.linkLineEndpoint(
      { projectClientId: linkedAgain.clientId, userId: linkedAgain.address },
      callOf(linkedAgain.clientId),
    );
    const untouched = await queuedThen(async () => {});

    await stack.startWorker();
    const outcomesOf = async ({ clientId, deliveryIds }: typeof untouched) => {
      const deliveries = await Promise.all(deliveryIds.map((id) => finished(stack, clientId, id)));
      return new Set(deliveries.map(({ status, attempts, lastErrorCode }) => `${status} ${attempts} ${lastErrorCode}`));
    };
    expect(await outcomesOf(withdrawn)).toEqual(new Set(["failed 0 consent_withdrawn"]));
    expect(await outcomesOf(revoked)).toEqual(new Set(["failed 0 delivery_endpoint_revoked"]));
    expect(await outcomesOf(linkedAgain)).toEqual(new Set(["failed 0 consent_withdrawn"]));
    expect(await outcomesOf(untouched)).toEqual(new Set(["sent 1 null"]));
    const arrived = await stack.sink.messages({ channel: "line" });
    expect(arrived).toHaveLength(10);
    expect(new Set(arrived.map(({ to }) => to))).toEqual(new Set([untouched.address]));
  });
});
