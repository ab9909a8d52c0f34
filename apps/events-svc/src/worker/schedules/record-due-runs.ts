import { startPollLoop } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import { dueTimes } from "../../domain/cron-schedule.ts";
import { releaseAllQueued } from "../../store/overlapping-runs.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { advanceOperations, earliestDueTime, findDueOperations } from "../../store/scheduled-operations.ts";
import { recordDueRuns } from "../../store/scheduled-runs.ts";

const operationsMax = 200;
/**
 * Interval in milliseconds of the search for queued runs that were not released because the worker that ended the
 * previous run died.
 */
const queuedEveryMs = 5_000;
const sleepMsMin = 5;
const sleepMsMax = 250;

export type DueRunRecorder = { stop(): Promise<void> };

/**
 * Records a run for each due time. First the runs are inserted, with a unique index on (operation, due time), and
 * then the operation advances to its next due time. After a crash in between, the next worker repeats the inserts
 * without effect. Any number of workers may do this concurrently.
 * @param onRecorded called when there are new runs
 */
export function startDueRunRecorder(
  models: ScheduleModels,
  options: { logger: Logger; clock: () => Date; onRecorded: () => void },
): DueRunRecorder {
  const { logger, clock, onRecorded } = options;
  let queuedLookedAtMs = Number.NEGATIVE_INFINITY;
  const keepQueuesGoing = async (): Promise<void> => {
    if (performance.now() - queuedLookedAtMs < queuedEveryMs) return;
    queuedLookedAtMs = performance.now();
    if ((await releaseAllQueued(models, clock())) > 0) onRecorded();
  };
  /** @returns the number of operations that were due */
  const recordAll = async (): Promise<number> => {
    const now = clock();
    await keepQueuesGoing();
    const operations = await findDueOperations(models, now, operationsMax);
    const dues = operations.flatMap((operation) =>
      operation.schedule === null || operation.next_due_at === null
        ? []
        : [{ operation, times: dueTimes(operation.schedule, operation.next_due_at, now) }],
    );
    const recorded = await recordDueRuns(models, dues);
    await advanceOperations(
      models,
      dues.map(({ operation, times }) => ({ operation, next: times.next })),
    );
    if (recorded > 0) onRecorded();
    return operations.length;
  };

  const sleepMs = async (): Promise<number> => {
    const next = await earliestDueTime(models);
    // A test's clock may jump, and an operator may change a schedule, so a sleep lasts at most a quarter of a second.
    const untilMs = next === null ? sleepMsMax : next.getTime() - clock().getTime();
    return Math.min(sleepMsMax, Math.max(sleepMsMin, untilMs));
  };

  return startPollLoop({
    round: async () => ((await recordAll()) === operationsMax ? 0 : await sleepMs()),
    failed: (error) => {
      logger.error({ err: error, job: "record-due-runs" }, "due runs could not be recorded");
      return sleepMsMax;
    },
  });
}
