import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { runCtlText } from "@platform/stack/run-ctl";
import { readEnvFile } from "@platform/stack/settings";
import { eventually } from "@platform/test-kit/eventually";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grantUpload } from "./file-grants.ts";
import { type ApiReply, acceptanceStack, type TestClient } from "./stack.ts";

const { api, ctl, directory, newClient } = acceptanceStack;
const bytes = Buffer.from("gauge");

/** Each gauge, with a request that permanently uses some of its units, and the number of these units. */
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
    // The claims of the three requests are settled after their responses; the counter remains.
    const counter = await eventually(
      async () => {
        const keys = await redis.keys(`*${client.id}*${gauge.resource}*`);
        return keys.length === 1 ? (keys[0] ?? null) : null;
      },
      { what: "only the counter is left in Redis" },
    );
    expect(await redis.del(counter)).toBe(1);
    const shownWhileLost = await ctl(["quotas", "show", "--client", client.id]);
    expect(shownWhileLost).toContainEqual({
      resource: gauge.resource,
      used: limit,
      limit,
      window: "level",
    });
    const refused = await gauge.take(client);
    expect(refused.status).toBe(429);
    expect(refused.json.error.details).toMatchObject({ resource: gauge.resource, used: limit, limit });
    const shown = await ctl(["quotas", "show", "--client", client.id]);
    expect(shown).toContainEqual({ resource: gauge.resource, used: limit, limit, window: "level" });
  });
});

describe("a gauge quota after the counted records were removed", () => {
  const used = async (client: TestClient, resource: string): Promise<number> => {
    const shown = await ctl(["quotas", "show", "--client", client.id]);
    return shown.find((quota: { resource: string }) => quota.resource === resource).used;
  };
  /** Checks that the counter equals a recount by its owner. */
  const expectExactly = async (client: TestClient, resource: string, units: number): Promise<void> => {
    const name = `${resource} is ${units}`;
    await eventually(async () => (await used(client, resource)) === units, { what: name });
    const keys = (await redis.keys(`*${client.id}*${resource}`)).filter((key) => key.endsWith(resource));
    await Promise.all(keys.map((key) => redis.del(key)));
    expect(await used(client, resource)).toBe(units);
  };

  test("lowers storage_bytes by rejected, deleted and erased files, to the value of a recount", async () => {
    const client = await newClient();
    const upload = async (body: Buffer): Promise<string> => {
      const grant = await grantUpload(client, createHash("sha256").update(body).digest("hex"), body.length + 1_000);
      const headers = { "content-type": "text/plain" };
      await api("PUT", `/file-uploads/${grant.upload_token}`, { credential: null, body, headers });
      const path = `/file-objects/${grant.file_object_id}/complete`;
      await eventually(async () => {
        const { json } = await api("POST", path, { credential: client.credential });
        return json.data.status !== "quarantined";
      });
      return grant.file_object_id;
    };
    const kept = await upload(Buffer.from("twelve bytes"));
    const deleted = await upload(Buffer.from("and thirteen."));
    await upload(Buffer.from([0xff, 0xfe, 0xfd]));
    expect(await used(client, "storage_bytes")).toBe(25);
    await ctl(["files", "delete", "--file", deleted, "--reason", "test"]);
    await ctl(["files", "delete", "--file", deleted, "--reason", "test"]);
    await expectExactly(client, "storage_bytes", 12);
    await upload(Buffer.from("more"));
    await ctl(["files", "delete", "--file", kept, "--reason", "test"]);
    await expectExactly(client, "storage_bytes", 4);
    await ctl(["clients", "erase", "--client", client.id, "--reason", "test"]);
    await expectExactly(client, "storage_bytes", 0);
  });

  test("lowers audit_retention by pruned and erased audits, to the value of a recount", async () => {
    const client = await newClient();
    const [gauge] = gauges;
    for (let taken = 0; taken < 5; taken += 1) await gauge?.take(client);
    await runCtlText(directory, ["audits", "export", "--client", client.id]);
    await ctl(["audits", "prune", "--client", client.id, "--until", "0s", "--reason", "test"]);
    for (let taken = 0; taken < 2; taken += 1) await gauge?.take(client);
    await expectExactly(client, "audit_retention", 2);
    await gauge?.take(client);
    await expectExactly(client, "audit_retention", 3);
    await ctl(["clients", "erase", "--client", client.id, "--reason", "test"]);
    await expectExactly(client, "audit_retention", 0);
  });
});
