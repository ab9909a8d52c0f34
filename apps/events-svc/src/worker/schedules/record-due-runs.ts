import { createRest } from "@platform/service-kit/jobs/rest";
import type { Logger } from "@platform/service-kit/process/logger";
import { dueTimes } from "../../domain/cron-schedule.ts";
import { releaseAllQueued } from "../../store/overlapping-runs.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { advanceOperations, earliestDueTime, findDueOperations } from "../../store/scheduled-operations.ts";
import { recordDueRuns } from "../../store/scheduled-runs.ts";

const operationsMax = 200;
/** A queued run that was not released, because the worker that ended the one before it died, is found within this time. */
const queuedEveryMs = 5_000;
const restMsMin = 5;
const restMsMax = 250;

export type DueRunRecorder = { stop(): Promise<void> };

/**
 * Turns due times into runs. First the runs are recorded, under a unique index on (operation, due time), then the operation moves on: a
 * crash in between makes the next worker record them again, in vain. Any number of workers may do it at once.
 * @param onRecorded told when there are new runs to make
 */
export function startDueRunRecorder(
  models: ScheduleModels,
  options: { logger: Logger; clock: () => Date; onRecorded: () => void },
): DueRunRecorder {
  const { logger, clock, onRecorded } = options;
  const stopping = new AbortController();
  const { rest } = createRest(stopping.signal);

  let queuedLookedAtMs = Number.NEGATIVE_INFINITY;
  const keepQueuesGoing = async (): Promise<void> => {
    if (performance.now() - queuedLookedAtMs < queuedEveryMs) return;
    queuedLookedAtMs = performance.now();
    if ((await releaseAllQueued(models, clock())) > 0) onRecorded();
  };
  const round = async (): Promise<number> => {
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

  const restMs = async (): Promise<number> => {
    const next = await earliestDueTime(models);
    // A clock of tests may be set on, and an operator may attach a schedule: no rest is longer than a quarter of a second.
    const untilMs = next === null ? restMsMax : next.getTime() - clock().getTime();
    return Math.min(restMsMax, Math.max(restMsMin, untilMs));
  };

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let ms = restMsMax;
      try {
        if ((await round()) === operationsMax) continue;
        ms = await restMs();
      } catch (error) {
        logger.error({ err: error, job: "record-due-runs" }, "recording due runs failed");
      }
      await rest(ms);
    }
  };
  const done = loop();
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}
