import { silentLogger } from "@platform/kit/process/telemetry";
import { ServiceError } from "@platform/kit/rpc/errors";
import { describe, expect, it } from "vitest";
import type { UsageReport } from "./usage-report.ts";
import { createUsageReporter } from "./usage-reporter.ts";

const options = (time: { now: Date }) => ({ everyMs: 3_600_000, clock: () => time.now, logger: silentLogger() });

describe("a reporter of usage", () => {
  it("sums usage by client, kind and hour", async () => {
    const time = { now: new Date("2026-03-01T10:59:59.000Z") };
    const reports: UsageReport[] = [];
    const reporter = createUsageReporter(async (report) => void reports.push(report), options(time));
    reporter.count("a", "requests", 1);
    reporter.count("a", "requests", 2);
    reporter.count("b", "requests", 1);
    time.now = new Date("2026-03-01T11:00:00.000Z");
    reporter.count("a", "requests", 5);
    await reporter.close();
    expect(reports.map(({ sequence }) => sequence)).toEqual([1]);
    expect(reports[0]?.counts).toEqual([
      { ownerId: "a", kind: "requests", hour: new Date("2026-03-01T10:00:00.000Z"), count: 3 },
      { ownerId: "b", kind: "requests", hour: new Date("2026-03-01T10:00:00.000Z"), count: 1 },
      { ownerId: "a", kind: "requests", hour: new Date("2026-03-01T11:00:00.000Z"), count: 5 },
    ]);
  });

  it("repeats a failed report unchanged, and sends later usage in the next report", async () => {
    const time = { now: new Date("2026-03-01T10:00:00.000Z") };
    const sent: UsageReport[] = [];
    let failures = 1;
    const reporter = createUsageReporter(
      async (report) => {
        sent.push(report);
        if (failures-- > 0) {
          reporter.count("a", "requests", 7);
          throw new Error("no answer");
        }
      },
      { ...options(time), everyMs: 1 },
    );
    reporter.count("a", "requests", 1);
    const until = Date.now() + 5_000;
    while (sent.length < 3 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
    await reporter.close();
    expect(sent.map(({ sequence, counts }) => [sequence, counts[0]?.count])).toEqual([
      [1, 1],
      [1, 1],
      [2, 7],
    ]);
  });

  it("splits 2,001 counts into reports of at most 1,000, and repeats only the reports that failed", async () => {
    const time = { now: new Date("2026-03-01T10:00:00.000Z") };
    const sent: UsageReport[] = [];
    let isDown = true;
    const reporter = createUsageReporter(async (report) => {
      if (sent.length === 1 && isDown) {
        isDown = false;
        throw new Error("no answer");
      }
      sent.push(report);
    }, options(time));
    for (let index = 0; index < 2_001; index += 1) reporter.count(`client-${index}`, "requests", 1);
    await reporter.close();
    await reporter.close();
    expect(sent.map(({ sequence, counts }) => [sequence, counts.length])).toEqual([
      [1, 1_000],
      [2, 1_000],
      [3, 1],
    ]);
    expect(new Set(sent.flatMap(({ counts }) => counts.map(({ ownerId }) => ownerId))).size).toBe(2_001);
  });

  it("drops and counts only what the receiver rejects, and goes on with the rest (receiver of an older version)", async () => {
    const time = { now: new Date("2026-03-01T10:00:00.000Z") };
    const accepted: UsageReport[] = [];
    let refused = 0;
    const reporter = createUsageReporter(
      async (report) => {
        if (report.counts.some(({ kind }) => kind === "new"))
          throw new ServiceError("contract_violation", "unknown kind");
        accepted.push(report);
      },
      {
        ...options(time),
        onRefused: (counts) => {
          refused += counts;
        },
      },
    );
    for (let index = 0; index < 10; index += 1) reporter.count(`client-${index}`, index === 3 ? "new" : "requests", 1);
    await reporter.close();
    const owners = accepted.flatMap(({ counts }) => counts.map(({ ownerId }) => ownerId));
    expect(owners).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9].map((index) => `client-${index}`));
    expect(refused).toBe(1);
    reporter.count("client-1", "requests", 1);
    await reporter.close();
    expect(accepted.at(-1)).toMatchObject({ counts: [{ ownerId: "client-1" }] });
    // A receiver adds a report only if its number is higher than that of the last one.
    const numbers = accepted.map(({ sequence }) => sequence);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
  });
});
