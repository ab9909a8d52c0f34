import { randomBytes } from "node:crypto";
import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import { createReportQueue } from "./report-queue.ts";
import type { UsageReport } from "./usage-report.ts";

/** Counts usage in this process by owner and kind, and reports the counts. */
export type UsageReporter = {
  count(ownerId: string, kind: string, amount: number): void;
  /** Sends the last report and stops. */
  close(): Promise<void>;
};

const hourMs = 3_600_000;
/**
 * Maximum number of counts in one report. After a long outage of the receiver, more counts are pending than fit into
 * one message.
 */
const countsMax = 1_000;

/**
 * Creates a reporter that sums usage by owner (usually a Project Client), kind and hour, and reports it every
 * `everyMs`. A failed report is repeated unchanged, and later counts are part of the next report. Counts that the
 * receiver rejects are dropped. If the process is killed, the counts that it has not reported are lost.
 * @param options.onRefused is called with the number of counts that were dropped
 */
export function createUsageReporter(
  record: (report: UsageReport) => Promise<void>,
  options: {
    readonly everyMs: number;
    readonly clock: () => Date;
    readonly logger: Logger;
    readonly onRefused?: (counts: number) => void;
  },
): UsageReporter {
  const reporterId = randomBytes(16).toString("hex");
  /** Counts by the start of the hour (epoch milliseconds), owner and kind. */
  let counted = new Map<number, Map<string, Map<string, number>>>();
  const queue = createReportQueue<UsageReport["counts"][number], never>({
    send: ({ items }, sequence) => record({ reporterId, sequence, counts: items }),
    onRefused: (items, error) => {
      options.logger.error({ err: error, job: "report-usage" }, "usage was rejected by its receiver; it is dropped");
      options.onRefused?.(items.length);
    },
  });

  const report = async (): Promise<void> => {
    if (queue.isEmpty) {
      const counts = countsOf(counted);
      counted = new Map();
      for (let from = 0; from < counts.length; from += countsMax)
        queue.add([{ items: counts.slice(from, from + countsMax), end: null }]);
    }
    await queue.send();
  };
  const job: RepeatedJob = repeat("report-usage", options.everyMs, options.logger, report);
  return {
    count: (ownerId, kind, amount) => {
      const nowMs = options.clock().getTime();
      const owners = counted.getOrInsertComputed(nowMs - (nowMs % hourMs), () => new Map());
      const kinds = owners.getOrInsertComputed(ownerId, () => new Map());
      kinds.set(kind, (kinds.get(kind) ?? 0) + amount);
    },
    close: async () => {
      await job.stop();
      const last = async (): Promise<void> => {
        await report();
        // The first call may have repeated a failed report. The second one sends the counts that were collected since.
        await report();
      };
      await last().catch((error: unknown) =>
        options.logger.warn({ err: error }, "the last usage report could not be delivered"),
      );
    },
  };
}

function countsOf(
  counted: ReadonlyMap<number, ReadonlyMap<string, ReadonlyMap<string, number>>>,
): UsageReport["counts"] {
  return [...counted].flatMap(([hour, owners]) =>
    [...owners].flatMap(([ownerId, kinds]) =>
      [...kinds].map(([kind, count]) => ({ ownerId, kind, hour: new Date(hour), count })),
    ),
  );
}
