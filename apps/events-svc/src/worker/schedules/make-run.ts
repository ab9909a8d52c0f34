import type { Quota } from "@platform/quota/quota";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Dispatcher } from "undici";
import { judgeOutcome } from "../../domain/scheduled-run.ts";
import type { ClaimedRun, Settlement } from "../../store/claim-runs.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { type CallableOperation, disableOperation } from "../../store/scheduled-operations.ts";
import { CallAbandoned, type CallTarget, callTarget } from "./call-target.ts";
import type { ClientLimits } from "./client-limits.ts";

/** What making a run needs. */
export type RunTools = {
  readonly models: ScheduleModels;
  readonly quota: Quota;
  readonly limitsOf: (clientId: string) => Promise<ClientLimits>;
  /** The dispatcher for an environment's policy. */
  readonly dispatcherOf: (environment: string) => Dispatcher;
  readonly settle: (settlement: Settlement) => Promise<void>;
  readonly clock: () => Date;
  readonly logger: Logger;
  /** Told of each try: `succeeded`, `failed`, `deferred`, … */
  readonly observe: (result: string) => void;
};

const resource = "scheduled_invocations";
/** Wait before a run that could not be begun, because something of ours was down, is taken up again. */
const putBackMs = 1_000;
const lostKeyMs = 60_000;

/**
 * Makes one claimed run: asks whether it may be made, spends its quota, calls, and writes what came of it. A crash at any point leaves
 * the claim to run out, and the run is made again with the same invocation id: at least once, never less.
 */
export async function makeRun(
  tools: RunTools,
  callable: CallableOperation | undefined,
  run: ClaimedRun,
  stopping: AbortSignal,
): Promise<void> {
  const { clock } = tools;
  const end = (settlement: Omit<Settlement, "run">, result: string): Promise<void> => {
    tools.observe(result);
    return tools.settle({ run, ...settlement });
  };
  const putBack = (ms: number): Promise<void> =>
    end({ state: "pending", claimableAt: new Date(clock().getTime() + ms), attempt: null }, "put_back");

  if (callable === undefined || callable.operation.status === "disabled") {
    return end({ state: "skipped", claimableAt: null, attempt: null, error: "operation_disabled" }, "skipped");
  }
  const { operation, secret } = callable;
  if (secret === null) {
    tools.logger.error(
      { job: "make-run", resource_id: operation.id },
      "no key of SERVICE_KEY opens the secret; run put back",
    );
    return putBack(lostKeyMs);
  }
  let spent: Awaited<ReturnType<Quota["spend"]>>;
  try {
    const limits = await tools.limitsOf(run.project_client_id);
    if (limits.isDisabled) {
      return end({ state: "skipped", claimableAt: null, attempt: null, error: "project_client_disabled" }, "skipped");
    }
    spent = await tools.quota.spend(run.project_client_id, resource, 1, limits.scheduledInvocations);
  } catch (error) {
    // Nothing runs unmetered: without the limit or the counter the run waits.
    tools.logger.warn({ err: error, job: "make-run", project_client_id: run.project_client_id }, "run put back");
    return putBack(putBackMs);
  }
  if (!spent.isSpent) {
    const waitMs = (spent.reason === "exceeded" ? spent.retryAfterSeconds : 60) * 1_000;
    return end({ state: "deferred", claimableAt: new Date(clock().getTime() + waitMs), attempt: null }, "deferred");
  }
  try {
    return await callAndSettle(tools, { operation, secret }, run, stopping, end);
  } catch (error) {
    if (!(error instanceof CallAbandoned)) throw error;
    await tools.quota.giveBack(run.project_client_id, resource, 1, spent.windowEndsAtMs).catch(() => undefined);
    return putBack(0);
  }
}

async function callAndSettle(
  tools: RunTools,
  target: CallTarget,
  run: ClaimedRun,
  stopping: AbortSignal,
  end: (settlement: Omit<Settlement, "run">, result: string) => Promise<void>,
): Promise<void> {
  const { operation } = target;
  const at = tools.clock();
  const dispatcher = tools.dispatcherOf(operation.environment);
  const outcome = await callTarget(target, run, { dispatcher, now: at, stopping });
  const tries = { made: run.tries_made + 1, left: run.tries_left - 1 };
  const verdict = judgeOutcome(outcome, tries, tools.clock());
  // Before the run is over, so that a crash in between makes the call again rather than leave the operation on.
  if (outcome.statusCode === 410) await disableOperation(tools.models, operation.id);
  const attempt = { at, status_code: outcome.statusCode, error: outcome.error, response: outcome.response };
  const claimableAt = verdict.state === "pending" ? verdict.retryAt : null;
  await end({ state: verdict.state, claimableAt, attempt }, verdict.state === "pending" ? "retried" : verdict.state);
}
