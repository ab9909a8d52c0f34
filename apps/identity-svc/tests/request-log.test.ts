import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import { connectGrpc } from "@platform/kit/rpc/client";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { RequestLogService } from "@platform/proto/identity/v1/request_log";
import { RequestLogAdminService } from "@platform/proto/identity/v1/request_log_admin";
import { RetentionAdminService } from "@platform/proto/operator/v1/retention_admin";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { refusal } from "./migration-steps.ts";
import { callAs, makeClient, operatorToken, startIdentity, type TestIdentity } from "./start-identity.ts";

let identity: TestIdentity;
let gateway: ReturnType<typeof connectGrpc>;
let operator: ReturnType<typeof connectGrpc>;
beforeAll(async () => {
  identity = await startIdentity();
  const address = `127.0.0.1:${identity.server.grpcPort}`;
  gateway = connectGrpc({ address, tls: null });
  const metadata = { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" };
  operator = connectGrpc({ address, tls: null, metadata });
});
afterAll(async () => {
  gateway.close();
  operator.close();
  await identity.close();
});

const minuteMs = 60_000;
const thisMinute = Math.floor(Date.now() / minuteMs) * minuteMs;
const reporterId = "a".repeat(32);

type Line = { readonly second: number } & Partial<{
  operation: string;
  status: number;
  code: string;
  credentialId: string;
  correlationId: string;
}>;
type Minute = {
  readonly client: string;
  readonly minutesAgo?: number;
  readonly lines: readonly Line[];
  readonly dropped?: number;
};

const lineOf = (minute: number, { second, ...rest }: Line) => ({
  at: timestampFromDate(new Date(minute + second * 1_000)),
  operation: "events.publishDomainEvent",
  method: "POST",
  status: 422,
  code: "contract_violation",
  durationMs: 1.25,
  credentialId: "c".repeat(32),
  network: "192.0.2.1",
  correlationId: newId(),
  idempotencyKeyHash: "0123456789abcdef",
  replayed: false,
  ...rest,
});

const record = (
  sequence: number,
  minutes: readonly Minute[],
  more: { reporter?: string; until?: Date; isLast?: boolean } = {},
) =>
  gateway.service(RequestLogService).recordRequests(
    {
      reporterId: more.reporter ?? reporterId,
      sequence: BigInt(sequence),
      minutes: minutes.map(({ client, minutesAgo = 0, lines, dropped = 0 }) => {
        const minute = thisMinute - minutesAgo * minuteMs;
        return {
          projectClientId: client,
          minute: timestampFromDate(new Date(minute)),
          requests: lines.map((line) => lineOf(minute, line)),
          dropped,
        };
      }),
      ...(more.until === undefined ? {} : { reportedUntil: timestampFromDate(more.until) }),
      isLast: more.isLast ?? false,
    },
    callAs(null),
  );
const admin = () => operator.service(RequestLogAdminService);
const list = (filter: object, page: { limit?: number; cursor?: string } = {}) =>
  admin().listRequests({ filter, ...page }, callAs(null));
/** Seconds within the minute at which the requests of a page ended. */
const secondsOf = async (filter: object) =>
  (await list(filter, { limit: 200 })).requests.map(({ at }) =>
    at === undefined ? null : (timestampDate(at).getTime() - thisMinute) / 1_000,
  );
const many = (count: number, second = 0): Line[] => Array.from({ length: count }, () => ({ second }));

describe("the request log", () => {
  it("lists a client's requests of several minutes and gateways newest first, and a repeated report only once", async () => {
    const client = await makeClient(identity);
    const first = [{ client, lines: [{ second: 1 }, { second: 5 }] }];
    await record(1, first);
    await record(1, first);
    await record(1, [{ client, lines: [{ second: 3 }] }], { reporter: "b".repeat(32) });
    await record(2, [{ client, minutesAgo: 1, lines: [{ second: 59 }] }]);
    expect(await secondsOf({ projectClientId: client })).toEqual([5, 3, 1, -1]);
  });

  it("describes a request and its outcome, and names its client in the list of all clients", async () => {
    const client = await makeClient(identity);
    const correlationId = newId();
    await record(3, [{ client, lines: [{ second: 2, correlationId }] }]);
    const { requests } = await list({ projectClientId: client });
    expect(requests).toMatchObject([
      {
        operation: "events.publishDomainEvent",
        method: "POST",
        status: 422,
        code: "contract_violation",
        durationMs: 1.25,
        credentialId: "c".repeat(32),
        network: "192.0.2.1",
        correlationId,
        replayed: false,
        projectClientId: "",
      },
    ]);
    expect((await list({ correlationId })).requests).toMatchObject([{ projectClientId: client, correlationId }]);
  });

  it("filters by status, class of status, code, operation, credential and time", async () => {
    const client = await makeClient(identity);
    const lines = [
      { second: 1, status: 404, code: "file_object_not_found", operation: "getFileObject" },
      { second: 2, status: 429, code: "platform_quota_exceeded" },
      { second: 3, status: 503, code: "dependency_unavailable", credentialId: "d".repeat(32) },
      { second: 4, status: 200, code: "" },
    ];
    await record(4, [{ client, lines }]);
    const found = (more: object) => secondsOf({ projectClientId: client, ...more });
    expect(await found({ status: "404" })).toEqual([1]);
    expect(await found({ status: "4xx" })).toEqual([2, 1]);
    expect(await found({ code: "dependency_unavailable" })).toEqual([3]);
    expect(await found({ operation: "getFileObject" })).toEqual([1]);
    expect(await found({ credentialId: "d".repeat(32) })).toEqual([3]);
    expect(await found({ since: timestampFromDate(new Date(thisMinute + 3_000)) })).toEqual([4, 3]);
    expect(await found({ status: "4xx", code: "dependency_unavailable" })).toEqual([]);
  });

  it("lists each request once over pages of two, even if several ended in the same millisecond", async () => {
    const client = await makeClient(identity);
    await record(5, [
      { client, lines: [...many(3, 7), { second: 8 }] },
      { client, minutesAgo: 2, lines: many(2) },
    ]);
    const seen: string[] = [];
    let pages = 0;
    for (let cursor = ""; pages === 0 || cursor !== ""; pages += 1) {
      const page = await list({ projectClientId: client }, { limit: 2, cursor });
      seen.push(...page.requests.map(({ correlationId }) => correlationId));
      cursor = page.nextCursor;
    }
    expect([seen.length, new Set(seen).size, pages]).toEqual([6, 6, 3]);
  });

  it("puts 100 lines of a minute into one document, and the next line into another one", async () => {
    const client = await makeClient(identity);
    await record(6, [{ client, lines: many(50) }]);
    await record(7, [{ client, lines: many(50) }]);
    const mongo = await MongoClient.connect(identity.mongo.uri);
    onTestFinished(() => mongo.close());
    const buckets = mongo.db(identity.mongo.database).collection("request_log");
    const documents = () => buckets.countDocuments({ project_client_id: client });
    expect(await documents()).toBe(1);
    const next = [{ client, lines: many(1) }];
    await record(8, next);
    await record(8, next);
    expect(await documents()).toBe(2);
    const { minutes } = await admin().summarizeRequests({ projectClientId: client }, callAs(null));
    expect(minutes.map(({ codes, dropped }) => [codes, dropped])).toEqual([[{ contract_violation: 101 }, 0]]);
  });

  it("puts 500 lines of one report into a document of their own, and refuses 501", async () => {
    const client = await makeClient(identity);
    await record(9, [{ client, lines: many(1) }]);
    await record(10, [{ client, lines: many(500) }]);
    await record(10, [{ client, lines: many(500) }]);
    await expect(record(11, [{ client, lines: many(501) }])).rejects.toMatchObject({ code: "contract_violation" });
    const { minutes } = await admin().summarizeRequests({ projectClientId: client }, callAs(null));
    expect(minutes.map(({ codes }) => codes)).toEqual([{ contract_violation: 501 }]);
  });

  it("loses nothing when several gateways report concurrently", async () => {
    const client = await makeClient(identity);
    const reporters = ["1", "2", "3", "4", "5", "6"].map((digit) => digit.repeat(32));
    await Promise.all(reporters.map((reporter) => record(1, [{ client, lines: many(200) }], { reporter })));
    const { minutes } = await admin().summarizeRequests({ projectClientId: client }, callAs(null));
    expect(minutes.map(({ codes }) => codes)).toEqual([{ contract_violation: 1_200 }]);
  });

  it("reports how many requests were dropped, and after which time those of a killed gateway are missing", async () => {
    const client = await makeClient(identity);
    const until = new Date(thisMinute + 1_000);
    const [killed, stopped] = ["e", "f"].map((letter) => letter.repeat(32));
    await record(1, [{ client, lines: [], dropped: 7 }], { reporter: killed ?? "", until });
    await record(1, [{ client, lines: [], dropped: 2 }], { reporter: stopped ?? "", until, isLast: true });
    const summary = () => admin().summarizeRequests({ projectClientId: client }, callAs(null));
    const { minutes, unreported } = await summary();
    expect(minutes.map(({ dropped }) => dropped)).toEqual([9]);
    expect(unreported).toEqual([]);
    identity.clock.advanceSeconds(31);
    expect((await summary()).unreported.map(({ since }) => since)).toEqual([timestampFromDate(until)]);
  });

  it("streams a client's requests as they arrive, each once", async () => {
    const client = await makeClient(identity);
    await record(9, [{ client, lines: [{ second: 1 }] }]);
    const stop = new AbortController();
    const after = timestampFromDate(new Date(thisMinute + 1_500));
    const stream = admin().tailRequests({ projectClientId: client, after }, { ...callAs(null), signal: stop.signal });
    const seen: (string | undefined)[] = [];
    const reading = (async () => {
      for await (const { request } of stream) {
        seen.push(request?.operation);
        if (seen.length === 1) await record(10, [{ client, lines: [{ second: 2, operation: "second" }] }]);
        if (seen.length === 2) await record(11, [{ client, lines: [{ second: 3, operation: "third" }] }]);
        if (seen.length === 3) return;
      }
    })();
    await reading;
    stop.abort();
    expect(seen).toEqual([undefined, "second", "third"]);
  });

  it("reads only the documents that a page needs", async () => {
    const client = await makeClient(identity);
    const minutes = Array.from({ length: 40 }, (_, minutesAgo) => ({ client, minutesAgo, lines: many(2) }));
    await record(12, minutes);
    const commands = await identity.mongo.commands(() => list({ projectClientId: client }, { limit: 4 }));
    expect(commands).not.toContain("getMore");
    const all = await identity.mongo.commands(() => list({ projectClientId: client }, { limit: 80 }));
    expect(all).toContain("getMore");
  });

  it("deletes entries older than their retention, which a client may set for itself", async () => {
    const [usual, own] = [await makeClient(identity), await makeClient(identity)];
    const days = (count: number) => count * 1_440;
    const old = [usual, own].map((client) => ({ client, minutesAgo: days(6), lines: many(1) }));
    const older = [usual, own].map((client) => ({ client, minutesAgo: days(8), lines: many(1) }));
    await record(13, [...old, ...older]);
    const retention = operator.service(RetentionAdminService);
    const set = { projectClientId: own, kind: "request_log", days: 30 };
    await retention.setRetention(set, callAs(null));
    const { retentions } = await retention.showRetention({ projectClientId: usual }, callAs(null));
    expect(retentions).toMatchObject([{ kind: "request_log", days: 7, isDefault: true }]);
    await identity.stopWorker();
    await identity.startWorker();
    await eventually(async () => (await secondsOf({ projectClientId: usual })).length === 1);
    expect(await secondsOf({ projectClientId: own })).toHaveLength(2);
  });

  it("does not recreate an erased client's entries from a late report", async () => {
    const [clientId, other] = [await makeClient(identity), await makeClient(identity)];
    const both = [clientId, other].map((client) => ({ client, lines: many(1) }));
    await record(14, both);
    const erasures = operator.service(ErasureAdminService);
    const { erasureId } = await erasures.eraseProjectClient({ projectClientId: clientId }, callAs(null));
    const isErased = async () =>
      (await erasures.showErasure({ erasureId }, callAs(null))).steps.find(({ service }) => service === "identity");
    await eventually(async () => (await isErased())?.status === "done");
    await record(15, both);
    expect([
      (await secondsOf({ projectClientId: clientId })).length,
      (await secondsOf({ projectClientId: other })).length,
    ]).toEqual([0, 2]);
  });

  it("refuses invalid filters, cursors and reports", async () => {
    const client = await makeClient(identity);
    for (const filter of [{ status: "4x" }, { status: "600" }])
      expect(await refusal(list(filter))).toBe("contract_violation");
    expect(await refusal(list({ projectClientId: "x" }))).toBe("project_client_not_found");
    expect(await refusal(list({}, { cursor: "x" }))).toBe("contract_violation");
    expect(await refusal(list({}, { limit: 201 }))).toBe("contract_violation");
    expect(await refusal(list({}, { limit: 200 }))).toBe("let in");
    expect(await refusal(record(1, [], { reporter: "$inc" }))).toBe("contract_violation");
    expect(await refusal(record(16, [{ client, lines: [{ second: 0, code: "a.b" }] }]))).toBe("contract_violation");
    expect(await refusal(record(16, [{ client: "x", lines: [] }]))).toBe("contract_violation");
    const since = timestampFromDate(new Date(Date.now() - 8 * 86_400_000));
    expect(await refusal(admin().summarizeRequests({ projectClientId: client, since }, callAs(null)))).toBe(
      "contract_violation",
    );
  });
});
