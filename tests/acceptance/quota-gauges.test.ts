import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { readEnvFile } from "@platform/stack/settings";
import { eventually } from "@platform/test-kit/eventually";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiReply, acceptanceStack, type TestClient } from "./stack.ts";

const { api, ctl, directory, newClient } = acceptanceStack;
const bytes = Buffer.from("gauge");

/** Each gauge, a request that permanently takes one step of it, and the units of a step. */
const gauges: readonly { resource: string; units: number; take: (client: TestClient) => Promise<ApiReply> }[] = [
  {
    resource: "audit_retention",
    units: 1,
    take: ({ credential }) =>
      api("POST", "/project-audits", {
        credential,
        body: { actor_id: "a", action: "a.b", resource_type: "aa", resource_id: "r", outcome: "failed" },
      }),
  },
  {
    resource: "storage_bytes",
    units: bytes.length,
    take: ({ credential }) =>
      api("POST", "/file-objects/upload-grants", {
        credential,
        body: {
          expected_sha256: createHash("sha256").update(bytes).update(randomUUID()).digest("hex"),
          expected_content_type: "text/plain",
          maximum_bytes: bytes.length,
        },
      }),
  },
];

let redis: Redis;
beforeAll(() => {
  redis = new Redis(readEnvFile(join(directory, "stack.env")).REDIS_URL ?? "");
});
afterAll(async () => {
  await redis.quit();
});

describe("a gauge quota that Redis has lost", () => {
  test.each(gauges)("counts $resource at its owner before it spends more", async (gauge) => {
    const client = await newClient();
    const limit = 3 * gauge.units;
    await ctl(["quotas", "set", "--client", client.id, "--resource", gauge.resource, "--limit", `${limit}`]);
    for (let taken = 0; taken < 3; taken += 1) expect((await gauge.take(client)).status).toBeLessThan(300);
    // The claims of the three are settled behind their answers; the counter stays.
    const counter = await eventually(
      async () => {
        const keys = await redis.keys(`*${client.id}*${gauge.resource}*`);
        return keys.length === 1 ? (keys[0] ?? null) : null;
      },
      { what: "only the counter is left in Redis" },
    );
    expect(await redis.del(counter)).toBe(1);
    const shownWhileLost = await ctl(["quotas", "show", "--client", client.id]);
    expect(shownWhileLost).toContainEqual({ resource: gauge.resource, used: limit, limit, window: "level" });
    const refused = await gauge.take(client);
    expect(refused.status).toBe(429);
    expect(refused.json.error.details).toMatchObject({ resource: gauge.resource, used: limit, limit });
    const shown = await ctl(["quotas", "show", "--client", client.id]);
    expect(shown).toContainEqual({ resource: gauge.resource, used: limit, limit, window: "level" });
  });
});
