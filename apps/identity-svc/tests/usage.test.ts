import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { connectGrpc } from "@platform/kit/rpc/client";
import { CredentialUsageAdminService } from "@platform/proto/identity/v1/credential_usage_admin";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { UsageService } from "@platform/proto/identity/v1/usage";
import { UsageAdminService } from "@platform/proto/operator/v1/usage_admin";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusal } from "./migration-steps.ts";
import { callAs, makeClient, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let gateway: ReturnType<typeof connectGrpc>;
let operator: ReturnType<typeof connectGrpc>;
beforeAll(async () => {
  identity = await startIdentity();
  const address = `127.0.0.1:${identity.server.grpcPort}`;
  gateway = connectGrpc({ address, tls: null });
  operator = connectGrpc({
    address,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" },
  });
});
afterAll(async () => {
  gateway.close();
  operator.close();
  await identity.close();
});

const hourMs = 3_600_000;
const reporterId = "a".repeat(32);
const thisHourMs = Math.floor(Date.now() / hourMs) * hourMs;

type Counted = { client: string; kind: string; hoursAgo: number; count: number };
const record = (sequence: number, counted: Counted[], reporter = reporterId) =>
  gateway.service(UsageService).recordUsage(
    {
      reporterId: reporter,
      sequence: BigInt(sequence),
      counts: counted.map(({ client, kind, hoursAgo, count }) => ({
        projectClientId: client,
        kind,
        hour: timestampFromDate(new Date(thisHourMs - hoursAgo * hourMs)),
        count: BigInt(count),
      })),
    },
    callAs(null),
  );
const list = async (projectClientId: string, more: object = {}) => {
  const request = { projectClientId, by: "hour", ...more };
  const { counts } = await operator.service(UsageAdminService).listUsage(request, callAs(null));
  return counts.map(({ at, kind, count }) => [
    at === undefined ? null : (thisHourMs - timestampDate(at).getTime()) / hourMs,
    kind,
    Number(count),
  ]);
};

describe("usage counts", () => {
  it("sums the reports of several gateways, and counts a repeated report once", async () => {
    const client = await makeClient(identity);
    const first = [{ client, kind: "requests", hoursAgo: 1, count: 5 }];
    await record(1, first);
    await record(1, first);
    await record(2, [{ client, kind: "requests", hoursAgo: 1, count: 2 }]);
    await record(1, [{ client, kind: "requests", hoursAgo: 1, count: 10 }], "b".repeat(32));
    await record(3, [{ client, kind: "events", hoursAgo: 0, count: 1 }]);
    expect(await list(client)).toEqual([
      [1, "requests", 17],
      [0, "events", 1],
    ]);
    expect(await list(client, { kind: "events" })).toEqual([[0, "events", 1]]);
  });

  it("adds each report only once to the totals over all clients", async () => {
    const [one, other] = [await makeClient(identity), await makeClient(identity)];
    const hoursAgo = 200;
    const both = [one, other].map((client) => ({ client, kind: "requests", hoursAgo, count: 5 }));
    for (const sequence of [50, 50, 51]) await record(sequence, both);
    const since = timestampFromDate(new Date(thisHourMs - hoursAgo * hourMs));
    expect((await list("", { kind: "requests", since }))[0]).toEqual([hoursAgo, "requests", 20]);
    const examined = await identity.mongo.examined("usage_counts", () => list("", { kind: "requests", since }));
    expect(Math.max(...examined)).toBeLessThanOrEqual(hoursAgo + 1);
  });

  it("counts each of several concurrent reports once, even if they are the first of an hour", async () => {
    const client = await makeClient(identity);
    const reporters = ["c", "d", "e", "f"].map((letter) => letter.repeat(32));
    await Promise.all(
      reporters.map((reporter) => record(1, [{ client, kind: "requests", hoursAgo: 0, count: 3 }], reporter)),
    );
    expect(await list(client)).toEqual([[0, "requests", 12]]);
  });

  it("computes the sum of each day from its hours", async () => {
    const client = await makeClient(identity);
    const hours = Array.from({ length: 60 }, (_, hoursAgo) => ({ client, kind: "requests", hoursAgo, count: 1 }));
    await record(100, hours);
    const since = timestampFromDate(new Date(thisHourMs - 50 * hourMs));
    const days = await list(client, { by: "day", since });
    expect(days.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(51);
    const recent = { since: timestampFromDate(new Date(thisHourMs - hourMs)) };
    const examined = await identity.mongo.examined("usage_counts", () => list(client, recent));
    expect(Math.max(...examined)).toBeLessThanOrEqual(2);
  });

  it("sums requests by credential and operation, and counts a repeated report once", async () => {
    const client = await makeClient(identity);
    const [one, other] = ["1".repeat(32), "2".repeat(32)];
    const recordUses = (
      sequence: number,
      uses: [credentialId: string, operation: string, hoursAgo: number, count: number][],
    ) =>
      gateway.service(UsageService).recordCredentialUsage(
        {
          reporterId,
          sequence: BigInt(sequence),
          counts: uses.map(([credentialId, operation, hoursAgo, count]) => ({
            projectClientId: client,
            credentialId,
            operation,
            hour: timestampFromDate(new Date(thisHourMs - hoursAgo * hourMs)),
            count: BigInt(count),
          })),
        },
        callAs(null),
      );
    await recordUses(1, [[one, "events.publishDomainEvent", 1, 3], [one, "files.getFileObject", 1, 1]]); // biome-ignore format: one line
    await recordUses(1, [[one, "events.publishDomainEvent", 1, 3], [one, "files.getFileObject", 1, 1]]); // biome-ignore format: one line
    await recordUses(2, [[one, "events.publishDomainEvent", 1, 2], [other, "events.publishDomainEvent", 0, 4]]); // biome-ignore format: one line
    const uses = async (more: object = {}) => {
      const request = { projectClientId: client, by: "hour", ...more };
      const { counts } = await operator.service(CredentialUsageAdminService).listCredentialUsage(request, callAs(null));
      return counts.map(({ credentialId, operation, count }) => [credentialId, operation, Number(count)]);
    };
    expect(await uses()).toEqual([
      [one, "events.publishDomainEvent", 5],
      [one, "files.getFileObject", 1],
      [other, "events.publishDomainEvent", 4],
    ]);
    expect(await uses({ credentialId: other })).toEqual([[other, "events.publishDomainEvent", 4]]);
    expect(await refusal(recordUses(3, [[one, "events.$inc", 0, 1]]))).toBe("contract_violation");
    expect(await refusal(uses({ by: "week" }))).toBe("contract_violation");
  });

  it("does not recreate an erased client's counts from a late report", async () => {
    const clientId = await makeClient(identity);
    const other = await makeClient(identity);
    const both = [clientId, other].map((client) => ({ client, kind: "requests", hoursAgo: 0, count: 3 }));
    await record(200, both);
    const erasures = operator.service(ErasureAdminService);
    const { erasureId } = await erasures.eraseProjectClient({ projectClientId: clientId }, callAs(null));
    const isErased = async () =>
      (await erasures.showErasure({ erasureId }, callAs(null))).steps.find(({ service }) => service === "identity");
    await eventually(async () => (await isErased())?.status === "done");
    await record(201, both);
    expect([await list(clientId), await list(other)]).toEqual([[], [[0, "requests", 6]]]);
  });

  it("refuses a list of hours too far back, an unknown period, and a report without a reporter", async () => {
    const client = await makeClient(identity);
    const since = timestampFromDate(new Date(Date.now() - 40 * 24 * hourMs));
    expect(await refusal(list(client, { since }))).toBe("contract_violation");
    expect(await refusal(list(client, { since, by: "day" }))).toBe("let in");
    expect(await refusal(list(client, { by: "week" }))).toBe("contract_violation");
    expect(await refusal(record(1, [], "$inc"))).toBe("contract_violation");
  });
});
