import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { connectGrpc } from "@platform/kit/rpc/client";
import type { StoredDocument } from "@platform/kit/store/documents";
import { UsageService } from "@platform/proto/identity/v1/usage";
import { MongoClient } from "mongodb";
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

test("disables a Project Client of production immediately where SECOND_PERSON is not set", async () => {
  const { projectClient } = await create("production");
  const disabled = await identity.clients.disableProjectClient(
    { projectClientId: projectClient?.id ?? "" },
    callAs(null),
  );
  expect(disabled.projectClient?.disabled).toBe(true);
});

describe("the search for Project Clients", () => {
  const find = (request: object) => identity.clientSearch.findProjectClients(request, callAs(null));
  const namesOf = async (request: object) =>
    (await find(request)).found.map(({ projectClient }) => projectClient?.name);
  const named = (name: string, environment: string) =>
    identity.clients
      .createProjectClient({ name, environment }, callAs(null))
      .then(({ projectClient }) => projectClient?.id ?? "");

  test("finds clients by a part of the name in any case, by id, environment and state, and counts the matches", async () => {
    const ids = [
      await named("Find me (a+b)", "staging"),
      await named("find ME too", "sandbox"),
      await named("Other", "staging"),
    ];
    expect(await namesOf({ text: "find me" })).toEqual(["find ME too", "Find me (a+b)"]);
    expect(await namesOf({ text: "me (a+b)" })).toEqual(["Find me (a+b)"]);
    expect(await namesOf({ text: ".*" })).toEqual([]);
    expect(await namesOf({ text: ids[2]?.toUpperCase() })).toEqual(["Other"]);
    expect(await namesOf({ text: "find me", environment: "sandbox" })).toEqual(["find ME too"]);
    await identity.clients.disableProjectClient({ projectClientId: ids[0] ?? "" }, callAs(null));
    expect(await namesOf({ text: "find me", state: "disabled" })).toEqual(["Find me (a+b)"]);
    expect(await namesOf({ text: "find me", state: "active" })).toEqual(["find ME too"]);
    expect(await find({ text: "find me", limit: 1 })).toMatchObject({
      total: 2,
      nextCursor: expect.stringMatching(/./),
    });
    expect(await find({ text: "find me", limit: 1, withoutTotal: true })).toMatchObject({
      total: 0,
      nextCursor: expect.stringMatching(/./),
    });
  });

  test("pages once through every matching client in both orders, even if several have the same name", async () => {
    for (const name of ["paged b", "paged a", "paged b", "paged c"]) await named(name, "sandbox");
    const walked = async (sort: string): Promise<(string | undefined)[]> => {
      const names: (string | undefined)[] = [];
      for (let cursor = ""; ; ) {
        const page = await find({ text: "paged", sort, limit: 1, cursor });
        names.push(...page.found.map(({ projectClient }) => projectClient?.name));
        cursor = page.nextCursor;
        if (cursor === "") return names;
      }
    };
    expect(await walked("name")).toEqual(["paged a", "paged b", "paged b", "paged c"]);
    expect(await walked("")).toEqual(["paged c", "paged b", "paged a", "paged b"]);
    const examined = await identity.mongo.examined("project_clients", () => find({ sort: "name", limit: 2 }));
    expect(Math.max(...examined)).toBeLessThanOrEqual(3);
  });

  test("reports when a client's credentials were last used, and no time for a client that never called", async () => {
    const projectClientId = await named("Seen once", "sandbox");
    const lastSeen = async () => (await find({ text: projectClientId })).found[0]?.lastSeenAt;
    expect(await lastSeen()).toBeUndefined();
    const { projectCredential } = await identity.clients.issueProjectCredential(
      { projectClientId, name: "c", scopes: ["events:write"] },
      callAs(null),
    );
    const at = new Date("2026-03-01T00:00:00Z");
    const client = await MongoClient.connect(identity.mongo.uri);
    await client
      .db(identity.mongo.database)
      .collection<StoredDocument>("project_credentials")
      .updateOne({ _id: projectCredential?.id ?? "" }, { $set: { last_used_at: at } });
    await client.close();
    expect(await lastSeen()).toEqual(timestampFromDate(at));
  });

  test("counts each listed client's requests of the last 24 hours by hour, in one query", async () => {
    const hourMs = 3_600_000;
    const thisHourMs = Math.floor(Date.now() / hourMs) * hourMs;
    const [busy, other] = [await named("counted busy", "sandbox"), await named("counted idle", "sandbox")];
    const gateway = connectGrpc({ address: `127.0.0.1:${identity.server.grpcPort}`, tls: null });
    const counts = (
      [
        [busy, "requests", 0, 5],
        [busy, "refused_quota", 0, 1],
        [busy, "refused_validation", 0, 2],
        [busy, "requests", 23, 3],
        [busy, "requests", 24, 9],
        [busy, "events", 0, 7],
        [await named("elsewhere", "sandbox"), "requests", 0, 11],
      ] as const
    ).map(([projectClientId, kind, hoursAgo, count]) => ({
      projectClientId,
      kind,
      hour: timestampFromDate(new Date(thisHourMs - hoursAgo * hourMs)),
      count: BigInt(count),
    }));
    const report = { reporterId: "c".repeat(32), sequence: 1n, counts };
    await gateway.service(UsageService).recordUsage(report, callAs(null));
    gateway.close();
    const request = { text: "counted", sort: "name", withRequests: true };
    const hours = async () =>
      (await find(request)).found.map(({ projectClient, requestHours }) => [
        projectClient?.id,
        requestHours.map(({ at, requests, refused }) => [
          (thisHourMs - (at === undefined ? 0 : timestampDate(at).getTime())) / hourMs,
          Number(requests),
          Number(refused),
        ]),
      ]);
    expect(await hours()).toEqual([
      [busy, [[23, 3, 0], [0, 5, 3]]],
      [other, []],
    ]); // biome-ignore format: one line a client
    const examined = await identity.mongo.examined("usage_counts", hours);
    expect(examined).toHaveLength(1);
    expect(examined[0]).toBeLessThanOrEqual(5);
    expect((await find({ ...request, withRequests: false })).found[0]?.requestHours).toEqual([]);
  });

  test.each([
    ["environment", { environment: "moon" }],
    ["state", { state: "lost" }],
    ["order", { sort: "colour" }],
    ["cursor", { cursor: "zzz" }],
    ["limit", { limit: 201 }],
  ])("refuses a search with an invalid %s", async (_what, request) => {
    await expect(find(request)).rejects.toMatchObject({ code: "contract_violation" });
  });
});

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

  test("lists only the id, name, environment and state of each client if that is asked for", async () => {
    const ids = [await makeClient(identity), await makeClient(identity)];
    await identity.clients.disableProjectClient({ projectClientId: ids[1] ?? "" }, callAs(null));
    const page = (request: object) => identity.clients.listProjectClients({ pageSize: 500, ...request }, callAs(null));
    const [all, named] = [await page({}), await page({ namesOnly: true })];
    const expected = all.projectClients.map(({ id, name, environment, disabled }) => ({
      ...{ id, name, environment, disabled },
      ...{ quotaLimits: {}, returnUris: [] },
    }));
    expect(named.projectClients).toMatchObject(expected);
    expect(named.projectClients.filter(({ id }) => ids.includes(id)).map(({ disabled }) => disabled)).toEqual([
      false,
      true,
    ]);
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
    const updated = await identity.clients.setReturnUris(
      { projectClientId: id, returnUris: ["https://b.example/"] },
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

  test("applies the environment's default quotas, overridden by configuration", async () => {
    const sandbox = (await create("sandbox")).projectClient?.id ?? "";
    const production = (await create("production")).projectClient?.id ?? "";
    expect(await limitOf(sandbox, "events")).toBe(7n);
    expect(await limitOf(production, "events")).toBe(1_000_000n);
    expect(await limitOf(production, "deliveries")).toBe(9n);
    expect(await limitOf(production, "api_traffic")).toBe(60_000n);
  });

  test("shows eight resources with their use and window, and applies a limit that an operator has set", async () => {
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
  ])("refuses to set the quota %s to %s", async (resource, limit) => {
    const projectClientId = await makeClient(identity);
    await expect(identity.clients.setQuota({ projectClientId, resource, limit }, callAs(null))).rejects.toMatchObject({
      code: "contract_violation",
    });
  });
});
