import { setTimeout as delay } from "node:timers/promises";
import type { Quota } from "@platform/quota/quota";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Dispatcher } from "undici";
import { judgeOutcome } from "../../domain/scheduled-run.ts";
import type { CallableOperation } from "../../store/callable-operations.ts";
import type { ClaimedRun, RunQueue, Settlement } from "../../store/run-queue.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { disableOperation } from "../../store/scheduled-operations.ts";
import { CallAbandoned, type CallTarget, callMs, callTarget, type OpenCalls } from "./call-target.ts";
import { type Metered, meteredResource, type RunMeter } from "./meter-runs.ts";
import { PostNotBegun } from "./post-once.ts";

/** What making a run needs. */
export type RunTools = {
  readonly models: ScheduleModels;
  readonly quota: Pick<Quota, "giveBack">;
  readonly meter: RunMeter;
  /** The dispatcher for an environment's policy. */
  readonly dispatcherOf: (environment: string) => Dispatcher;
  readonly settle: RunQueue["settle"];
  readonly openCalls: OpenCalls;
  readonly clock: () => Date;
  readonly logger: Logger;
  /** Told of each try: `succeeded`, `failed`, `deferred`, … */
  readonly observe: (result: string) => void;
};

type End = (settlement: Settlement, result: string) => Promise<void>;

/** Wait before a run that could not be begun, because something of ours was down, is taken up again. */
const putBackMs = 1_000;
const lostKeyMs = 60_000;
/** The longest of the doubling waits for a database that is away. */
const settleWaitMsMax = 6_400;

/**
 * Makes one claimed run: asks whether it may be made, spends its quota, calls, and writes what came of it. A crash at any point leaves
 * the claim to run out, and the run is made again with the same invocation id: at least once, never less.
 */
export async function makeRun(
  tools: RunTools,
  operation: CallableOperation | undefined,
  run: ClaimedRun,
): Promise<void> {
  const { clock } = tools;
  const { project_client_id: clientId } = run.document;
  const end: End = (settlement, result) => {
    tools.observe(result);
    return settlePatiently(tools, run, settlement);
  };
  const putBack = (ms: number): Promise<void> =>
    end({ state: "pending", claimableAt: new Date(clock().getTime() + ms), attempt: null }, "put_back");
  const skip = (error: string): Promise<void> =>
    end({ state: "skipped", claimableAt: null, attempt: null, error }, "skipped");

  if (operation === undefined) return skip("operation_disabled");
  const { secret } = operation;
  if (secret === null) {
    tools.logger.error(
      { job: "make-run", resource_id: operation.id },
      "no key of SERVICE_KEY opens the secret; run put back",
    );
    return putBack(lostKeyMs);
  }
  let metered: Metered;
  try {
    metered = await tools.meter(clientId);
  } catch (error) {
    // Nothing runs unmetered: without the limit or the counter the run waits.
    tools.logger.warn({ err: error, job: "make-run", project_client_id: clientId }, "run put back");
    return putBack(putBackMs);
  }
  if (metered.is === "client_disabled") return skip("project_client_disabled");
  if (metered.is === "exceeded") {
    const claimableAt = new Date(clock().getTime() + metered.retryAfterSeconds * 1_000);
    return end({ state: "deferred", claimableAt, attempt: null }, "deferred");
  }
  const { windowEndsAtMs } = metered;
  const giveBack = (): Promise<void> =>
    tools.quota.giveBack(clientId, meteredResource, 1, windowEndsAtMs).catch(() => undefined);
  // A worker that was stopped for a while finds a claim that another may take during the call, or has taken: it is left to that one.
  const leaveToNext = (): Promise<void> => {
    tools.observe("lease_lost");
    return giveBack();
  };
  if (clock().getTime() + callMs > run.leasedUntil.getTime()) return leaveToNext();
  try {
    await callAndSettle(tools, { operation, secret }, run, end);
  } catch (error) {
    if (error instanceof PostNotBegun) return leaveToNext();
    if (!(error instanceof CallAbandoned)) throw error;
    await giveBack();
    await putBack(0);
  }
}

/**
 * Writes an outcome, again and again while the database is away: a call whose outcome is not known is made once more. Writing it twice
 * changes nothing, and once the lease is lost it is left to the next holder.
 */
async function settlePatiently({ settle, clock }: RunTools, run: ClaimedRun, settlement: Settlement): Promise<void> {
  for (let waitMs = 100; ; waitMs *= 2) {
    try {
      return await settle(run, settlement);
    } catch (error) {
      // 12.7 s in all, well within the lease of a call that was short.
      if (waitMs > settleWaitMsMax || clock() >= run.leasedUntil) throw error;
      await delay(waitMs);
    }
  }
}

async function callAndSettle(tools: RunTools, target: CallTarget, run: ClaimedRun, end: End): Promise<void> {
  const { operation } = target;
  const at = tools.clock();
  const dispatcher = tools.dispatcherOf(operation.environment);
  // The wait for a connection is part of the call: one that began in time ends before the lease does.
  const mayBegin = (): boolean => tools.clock().getTime() < at.getTime() + callMs;
  const outcome = await callTarget(target, run, { dispatcher, now: at, openCalls: tools.openCalls, mayBegin });
  const tries = { made: run.document.tries_made + 1, left: run.document.tries_left - 1 };
  const verdict = judgeOutcome(outcome, tries, tools.clock());
  // Before the run is over, so that a crash in between makes the call again rather than leave the operation on.
  if (outcome.statusCode === 410) await disableOperation(tools.models, operation.id);
  const attempt = { at, status_code: outcome.statusCode, error: outcome.error, response: outcome.response };
  const claimableAt = verdict.state === "pending" ? verdict.retryAt : null;
  await end({ state: verdict.state, claimableAt, attempt }, verdict.state === "pending" ? "retried" : verdict.state);
}
