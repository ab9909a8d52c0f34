import { Webhook } from "standardwebhooks";
import { found } from "./fail.ts";
import { type Data, newId, type State } from "./state.ts";
import type { CallTarget } from "./types.ts";

/** Sends a call to a registered endpoint, signed with its secret. */
async function send(
  schedule: Data,
  id: string,
  type: string,
  body: Data,
  target: CallTarget = fetch,
): Promise<Response> {
  const text = JSON.stringify(body);
  const now = new Date();
  const webhook = schedule.secret.startsWith("whsec_")
    ? new Webhook(schedule.secret)
    : new Webhook(new TextEncoder().encode(schedule.secret), { format: "raw" });
  const headers = {
    "content-type": type,
    "webhook-id": id,
    "webhook-timestamp": `${Math.floor(now.getTime() / 1_000)}`,
    "webhook-signature": webhook.sign(id, now, text),
  };
  return target(new Request(schedule.url, { method: "POST", headers, body: text }));
}

export function callScheduled({ schedules }: State, operationId: string, target?: CallTarget): Promise<Response> {
  const schedule = found(schedules.get(operationId), "route_not_found");
  const invocation_id = newId();
  const scheduled_for = new Date().toISOString();
  const body = { operation_id: operationId, name: schedule.name, invocation_id, scheduled_for, attempt: 1 };
  return send(schedule, invocation_id, "application/json", body, target);
}

export function sendEvent(
  { schedules, projectClient, events }: State,
  operationId: string,
  event: { readonly type: string; readonly data: Readonly<Record<string, unknown>>; readonly source?: string },
  target?: CallTarget,
): Promise<Response> {
  const schedule = found(schedules.get(operationId), "route_not_found");
  const id = newId();
  const time = new Date().toISOString();
  const body = {
    specversion: "1.0",
    id,
    source: event.source ?? `/project-clients/${projectClient.id}`,
    type: event.type,
    time,
    datacontenttype: "application/json",
    publishedtime: time,
    schemaversion: "1",
    position: `${events.length + 1}`,
    data: event.data,
  };
  return send(schedule, id, "application/cloudevents+json", body, target);
}
