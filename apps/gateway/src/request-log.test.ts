import { silentLogger } from "@platform/kit/process/telemetry";
import { ServiceError } from "@platform/kit/rpc/errors";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRequestLog, type LoggedRequest, type RequestReport, requestLogBounds } from "./request-log.ts";

const began = new Date("2026-03-01T10:00:30.000Z");
const lineAt = (at: Date): LoggedRequest => ({
  at,
  operation: "events.publishDomainEvent",
  method: "POST",
  status: 422,
  code: "contract_violation",
  durationMs: 1.5,
  credentialId: "c".repeat(32),
  network: "192.0.2.1",
  correlationId: "0197a000-0000-7000-8000-000000000001",
  idempotencyKeyHash: null,
  replayed: false,
});

/**
 * Starts a log that reports once an hour, so that only `close` sends a report. @param fails number of reports that fail
 * first
 */
function startLog(
  options: {
    everyMs?: number;
    fails?: number;
    successRatio?: number;
    random?: () => number;
    refuses?: (report: RequestReport) => boolean;
  } = {},
) {
  const sent: RequestReport[] = [];
  const time = { now: began };
  let dropped = 0;
  let fails = options.fails ?? 0;
  const log = createRequestLog(
    async (report) => {
      if (options.refuses?.(report) === true) throw new ServiceError("contract_violation", "a request is malformed");
      sent.push(report);
      if (fails-- > 0) throw new Error("no answer");
    },
    {
      everyMs: options.everyMs ?? 3_600_000,
      successRatio: options.successRatio ?? 0.01,
      clock: () => time.now,
      random: options.random ?? (() => 0.5),
      onDropped: (count) => {
        dropped += count;
      },
      logger: silentLogger(),
    },
  );
  onTestFinished(() => log.close());
  const client = (id: string) => ({ id, environment: "development", successRatio: null });
  const note = (isSuccess: boolean) => (id: string) => {
    if (log.wants(client(id), isSuccess)) log.add(id, lineAt(time.now));
  };
  return { log, sent, time, dropped: () => dropped, refused: note(false), succeeded: note(true) };
}

const linesOf = (reports: readonly RequestReport[]): number =>
  reports.flatMap(({ minutes }) => minutes).reduce((sum, { requests }) => sum + requests.length, 0);

describe("the request log of a gateway", () => {
  it("reports lines by client and minute, and says in the last report that nothing is missing", async () => {
    const { log, sent, time, refused } = startLog();
    refused("a");
    refused("b");
    refused("a");
    time.now = new Date(began.getTime() + 30_000);
    refused("a");
    await log.close();
    const last = sent.at(-1);
    expect(
      last?.minutes.map(({ clientId, minute, requests }) => [clientId, minute.toISOString(), requests.length]),
    ).toEqual([
      ["a", "2026-03-01T10:00:00.000Z", 2],
      ["b", "2026-03-01T10:00:00.000Z", 1],
      ["a", "2026-03-01T10:01:00.000Z", 1],
    ]);
    expect(last).toMatchObject({ isLast: true, reportedUntil: time.now });
  });

  it("repeats a failed report unchanged, and sends later lines in the next report", async () => {
    const { log, sent, refused } = startLog({ fails: 1 });
    // The first report, which is empty and announces the process, has failed.
    refused("a");
    await log.close();
    expect(sent.map(({ sequence, isLast }) => [sequence, isLast])).toEqual([
      [1, false],
      [1, false],
      [2, true],
    ]);
    expect(linesOf(sent)).toBe(1);
  });

  it("drops and counts the lines of a client beyond 250 a second, and leaves room for others", async () => {
    const { log, sent, time, dropped, refused } = startLog();
    for (let index = 0; index < requestLogBounds.perClient; index += 1) refused("a");
    expect(dropped()).toBe(0);
    refused("a");
    refused("b");
    time.now = new Date(began.getTime() + 1_000);
    refused("a");
    expect(dropped()).toBe(1);
    await log.close();
    const minutes = sent.flatMap((report) => report.minutes).filter(({ clientId }) => clientId === "a");
    expect(minutes.reduce((sum, minute) => sum + minute.dropped, 0)).toBe(1);
    expect(linesOf(sent)).toBe(requestLogBounds.perClient + 2);
  });

  it("drops lines of all clients beyond 1,000 a second", () => {
    const { dropped, refused } = startLog();
    for (let index = 0; index < requestLogBounds.perSecond; index += 1) refused(`client-${index}`);
    expect(dropped()).toBe(0);
    refused("another");
    expect(dropped()).toBe(1);
  });

  it("reserves space for failed requests in addition to a client's successes", () => {
    const { dropped, refused, succeeded } = startLog();
    const { successesPerClient, perClient } = requestLogBounds;
    for (let index = 0; index < successesPerClient; index += 1) succeeded("a");
    expect(dropped()).toBe(0);
    succeeded("a");
    expect(dropped()).toBe(1);
    for (let index = successesPerClient; index < perClient; index += 1) refused("a");
    expect(dropped()).toBe(1);
  });

  it("keeps 20,000 entries while identity-svc is unavailable, and counts any others as dropped", async () => {
    const { log, sent, time, dropped, refused } = startLog();
    const { waiting, perSecond, perReport, perAddition } = requestLogBounds;
    for (let index = 0; index < waiting; index += 1) {
      time.now = new Date(began.getTime() + Math.floor(index / perSecond) * 1_000);
      refused(`client-${index % 4}`);
    }
    expect(dropped()).toBe(0);
    time.now = new Date(began.getTime() + 3_600_000);
    refused("a");
    expect(dropped()).toBe(1);
    await log.close();
    expect(linesOf(sent)).toBe(waiting);
    for (const { minutes } of sent) {
      const names = minutes.map(({ clientId, minute }) => `${clientId} ${minute.getTime()}`);
      expect(new Set(names).size).toBe(names.length);
      expect(linesOf([{ minutes } as unknown as RequestReport])).toBeLessThanOrEqual(perReport);
      for (const { requests } of minutes) expect(requests.length).toBeLessThanOrEqual(perAddition);
    }
    // Only the last report may say that nothing before it is missing.
    expect(sent.filter(({ reportedUntil }) => reportedUntil !== null).at(-1)).toBe(sent.at(-1));
  });
});

describe("the share of successes that is logged", () => {
  const client = { id: "a", environment: "production", successRatio: null };

  it("logs all successes of development and sandbox, and the configured share elsewhere", () => {
    const { log } = startLog({ successRatio: 0.5, random: () => 0.5 });
    expect(log.wants({ ...client, environment: "development" }, true)).toBe(true);
    expect(log.wants({ ...client, environment: "sandbox" }, true)).toBe(true);
    expect(log.wants(client, true)).toBe(false);
    expect(startLog({ successRatio: 0.51, random: () => 0.5 }).log.wants(client, true)).toBe(true);
  });

  it("uses the client's own success ratio if the client has one", () => {
    const { log } = startLog({ random: () => 0 });
    expect(log.wants({ ...client, environment: "sandbox", successRatio: 0 }, true)).toBe(false);
    expect(startLog({ random: () => 0.999 }).log.wants({ ...client, successRatio: 1 }, true)).toBe(true);
  });

  it("drops and counts only the minutes that the receiver rejects (receiver of an older version)", async () => {
    const refuses = ({ minutes }: RequestReport): boolean => minutes.some(({ clientId }) => clientId === "b");
    const { log, sent, dropped, refused } = startLog({ refuses });
    for (const id of ["a", "b", "b", "c", "d"]) refused(id);
    await log.close();
    const clients = sent.flatMap(({ minutes }) => minutes.map(({ clientId }) => clientId));
    expect(clients).toEqual(["a", "c", "d"]);
    expect(dropped()).toBe(2);
    // The process is reported as ended only after everything that it logged.
    expect(sent.map(({ isLast }) => isLast)).toEqual([...sent.slice(1).map(() => false), true]);
  });
});
