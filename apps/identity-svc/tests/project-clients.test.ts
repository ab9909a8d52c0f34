import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callAs, makeClient, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startIdentity({ QUOTA_DEFAULTS: JSON.stringify({ sandbox: { events: 7 }, deliveries: 9 }) });
});
afterAll(() => identity.close());

function create(environment: string, returnUris: string[] = []) {
  return identity.clients.createProjectClient({ name: "A project", environment, returnUris }, callAs(null));
}

describe("the admin service", () => {
  test("refuses a call without the operator's token", async () => {
    await expect(
      identity.clientsWithoutToken.listProjectClients({ afterId: "", pageSize: 0 }, callAs(null)),
    ).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("pages through every client once, oldest first", async () => {
    const ids = [await makeClient(identity), await makeClient(identity), await makeClient(identity)];
    const seen: string[] = [];
    for (let page = 0; page < 100; page += 1) {
      const reply = await identity.clients.listProjectClients(
        { afterId: seen.at(-1) ?? "", pageSize: 2 },
        callAs(null),
      );
      seen.push(...reply.projectClients.map((client) => client.id));
      if (reply.projectClients.length < 2) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
  });

  test("refuses an unknown environment, an empty name and an unknown client", async () => {
    await expect(create("moon")).rejects.toMatchObject({ code: "contract_violation" });
    await expect(
      identity.clients.createProjectClient({ name: " ", environment: "staging" }, callAs(null)),
    ).rejects.toMatchObject({ code: "contract_violation" });
    await expect(identity.clients.showProjectClient({ projectClientId: "none" }, callAs(null))).rejects.toMatchObject({
      code: "project_client_not_found",
    });
  });

  test("accepts plain http on loopback for development only", async () => {
    const loopback = "http://127.0.0.1:3000/linked";
    expect((await create("development", [loopback])).projectClient?.returnUris).toEqual([loopback]);
    await expect(create("production", [loopback])).rejects.toMatchObject({ code: "contract_violation" });
  });

  test("replaces the return_uris as a whole and keeps the name", async () => {
    const id = await makeClient(identity, ["https://a.example/1", "https://a.example/2"]);
    const updated = await identity.clients.updateProjectClient(
      { projectClientId: id, returnUris: { values: ["https://b.example/"] } },
      callAs(null),
    );
    expect(updated.projectClient).toMatchObject({ name: "Test project", returnUris: ["https://b.example/"] });
  });
});

describe("quotas", () => {
  const limitOf = async (projectClientId: string, resource: string): Promise<bigint | undefined> => {
    const { quotas } = await identity.clients.showQuotas({ projectClientId }, callAs(null));
    return quotas.find((quota) => quota.resource === resource)?.limit;
  };

  test("takes quotas from the environment's defaults, overridden by configuration", async () => {
    const sandbox = (await create("sandbox")).projectClient?.id ?? "";
    const production = (await create("production")).projectClient?.id ?? "";
    expect(await limitOf(sandbox, "events")).toBe(7n);
    expect(await limitOf(production, "events")).toBe(1_000_000n);
    expect(await limitOf(production, "deliveries")).toBe(9n);
    expect(await limitOf(production, "api_traffic")).toBe(60_000n);
  });

  test("shows eight resources with use and window, and prefers an operator's limit", async () => {
    const id = await makeClient(identity);
    const set = await identity.clients.setQuota({ projectClientId: id, resource: "events", limit: 3n }, callAs(null));
    expect(set.quota).toMatchObject({ resource: "events", used: 0n, limit: 3n, window: "day" });
    const { quotas } = await identity.clients.showQuotas({ projectClientId: id }, callAs(null));
    expect(quotas).toHaveLength(8);
    const { projectClient } = await identity.authentication.getProjectClient({ projectClientId: id }, callAs(null));
    expect(projectClient?.quotaLimits.events).toBe(3n);
  });

  test.each([
    ["events", 0n],
    ["events", -1n],
    ["unheard_of", 5n],
    ["__proto__", 5n],
  ])("refuses the quota %s = %s", async (resource, limit) => {
    const projectClientId = await makeClient(identity);
    await expect(identity.clients.setQuota({ projectClientId, resource, limit }, callAs(null))).rejects.toMatchObject({
      code: "contract_violation",
    });
  });
});
