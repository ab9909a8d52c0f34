import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { acceptanceStack, type TestClient } from "./stack.ts";

const { api, ctl, newClient } = acceptanceStack;
const fact = {
  actor_id: "user:42",
  action: "invoice.approve",
  resource_type: "invoice",
  resource_id: "inv-2026/001",
  outcome: "succeeded",
};
let client: TestClient;

beforeAll(async () => {
  client = await newClient();
});

const record = (body: unknown = fact, idempotencyKey: string = randomUUID()) =>
  api("POST", "/project-audits", { body, idempotencyKey, credential: client.credential });

describe("Project Audits", () => {
  test("records and lists Project Audits in order, in a chain that verifies", async () => {
    client = await newClient();
    const answers = [];
    for (const outcome of ["succeeded", "failed", "denied"]) answers.push(await record({ ...fact, outcome }));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const rows = await ctl(["audits", "list", "--client", client.id]);
    expect(rows).toHaveLength(3);
    expect(rows[1]).toEqual({
      seq: 2,
      id: answers[1]?.json.data.id,
      ...fact,
      outcome: "failed",
      recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await ctl(["audits", "list", "--client", client.id, "--after", "2"])).toEqual([rows[2]]);
    const verify = (...more: string[]) => ctl(["audits", "verify", "--client", client.id, ...more]);
    expect(await verify()).toEqual({ valid: true, length: 3 });
    expect(await verify("--head", rows[1].hash)).toEqual({ valid: true, length: 3 });
    await expect(verify("--head", "f".repeat(64))).rejects.toThrow();
    await expect(verify("--head", "f")).rejects.toThrow(/--head/);
  });

  test("refuses to list or verify the audits of an unknown client", async () => {
    const unknown = randomUUID();
    await expect(ctl(["audits", "verify", "--client", unknown])).rejects.toThrow(/project_client_not_found/);
    await expect(ctl(["audits", "list", "--client", unknown])).rejects.toThrow(/project_client_not_found/);
    const { id } = await newClient();
    expect(await ctl(["audits", "verify", "--client", id])).toEqual({ valid: true, length: 0 });
  });

  test("returns the same audit for an identical fact under its key through either gateway, and refuses another fact", async () => {
    const idempotencyKey = randomUUID();
    const first = await record(fact, idempotencyKey);
    const again = await api("POST", "/project-audits", {
      body: fact,
      idempotencyKey,
      credential: client.credential,
      baseUrl: acceptanceStack.secondBaseUrl,
    });
    expect([again.status, again.json.data.id]).toEqual([201, first.json.data.id]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await record({ ...fact, outcome: "denied" }, idempotencyKey);
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"]);
  });

  test("counts audits in the gauge audit_retention, and refuses more than its limit", async () => {
    client = await newClient();
    await ctl(["quotas", "set", "--client", client.id, "--resource", "audit_retention", "--limit", "2"]);
    expect([await record(), await record(), await record()].map(({ status }) => status)).toEqual([201, 201, 429]);
  });
});
