import { randomUUID } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import { expect, test } from "vitest";
import { api, ctl, newClient, type TestClient } from "./stack.ts";

const event = { type: "order.placed", schema_version: 1, data: { n: 1 } };
const publish = (client: TestClient, key: string = randomUUID(), body: unknown = event) =>
  api("POST", "/domain-events", { credential: client.credential, idempotencyKey: key, body });
const idOf = ({ headers }: { headers: Headers }): string => headers.get("x-correlation-id") ?? "";

/** Waits until the request log contains the line of a request. */
async function lineOf(client: TestClient, correlationId: string): Promise<any> {
  const args = ["requests", "list", "--client", client.id, "--correlation-id", correlationId];
  return eventually(async () => (await ctl(args)).items[0] ?? null);
}

test("lists a rejection, a success and its replay with their outcomes, without body and key", async () => {
  const client = await newClient({ scopes: ["events:write"] });
  const key = `secret-key-${randomUUID()}`;
  const [success, replay] = [await publish(client, key), await publish(client, key)];
  const invalid = await publish(client, randomUUID(), { ...event, type: "no type" });
  const forbidden = await api("GET", "/project-client", { credential: client.credential });
  expect([success.status, replay.status, invalid.status, forbidden.status]).toEqual([200, 200, 422, 403]);
  const common = {
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    operation: "events.publishDomainEvent",
    method: "POST",
    duration_ms: expect.any(Number),
    credential_id: client.credentialId,
    network: "127.0.0.1",
  };
  expect(await lineOf(client, idOf(success))).toEqual({
    ...common,
    status: 200,
    code: null,
    correlation_id: idOf(success),
    replayed: false,
  });
  expect(await lineOf(client, idOf(replay))).toMatchObject({ status: 200, code: null, replayed: true });
  expect(await lineOf(client, idOf(invalid))).toMatchObject({ ...common, status: 422, code: "contract_violation" });
  expect(await lineOf(client, idOf(forbidden))).toMatchObject({ status: 403, code: "insufficient_scope" });
  const refused = await ctl(["requests", "list", "--client", client.id, "--status", "4xx", "--since", "1h"]);
  expect(refused.items.map((item: any) => item.status).sort()).toEqual([403, 422]);
  expect(refused.next_cursor).toBeNull();
  const all = await ctl(["requests", "list", "--client", client.id]);
  expect(JSON.stringify(all)).not.toContain(key);
  const [anywhere] = (await ctl(["requests", "list", "--correlation-id", idOf(invalid)])).items;
  expect(anywhere.project_client_id).toBe(client.id);
  expect(await ctl(["requests", "gaps", "--client", client.id])).toEqual({ items: [], next_cursor: null });
});

test("lists the refusals of a disabled client", async () => {
  const client = await newClient();
  await ctl(["clients", "disable", "--client", client.id, "--reason", "test"]);
  const refused = await eventually(async () => {
    const answer = await publish(client);
    return answer.status === 403 ? answer : null;
  });
  expect(await lineOf(client, idOf(refused))).toMatchObject({ status: 403, code: "project_client_disabled" });
});

test("keeps the configured share of a production client's successful requests, and every refusal", async () => {
  const client = await newClient({ environment: "production" });
  const set = (ratio: string) => ctl(["clients", "update", "--client", client.id, "--success-ratio", ratio]);
  expect((await set("0")).success_ratio).toBe(0);
  // The change is announced, and every gateway drops the credential that it had cached.
  await publish(client);
  const [unlogged, refused] = [await publish(client), await publish(client, randomUUID(), {})];
  await lineOf(client, idOf(refused));
  const listed = await ctl(["requests", "list", "--client", client.id, "--correlation-id", idOf(unlogged)]);
  expect([unlogged.status, listed.items]).toEqual([200, []]);
  await set("1");
  // Gateways learn of the change by an announcement, so it may not apply to this request yet.
  await eventually(async () => {
    const answer = await publish(client);
    const args = ["requests", "list", "--client", client.id, "--correlation-id", idOf(answer)];
    return (await ctl([...args, "--status", "2xx"])).items.length === 1;
  });
});
