import { setTimeout as delay } from "node:timers/promises";
import type { Turns } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import type { FailureWatch } from "@platform/operator-plane/platform-events";
import type { Quota } from "@platform/quota/quota";
import type { Dispatcher } from "undici";
import type { CallPacer } from "../../domain/call-pace.ts";
import { type CallOutcome, decideRun } from "../../domain/scheduled-run.ts";
import { statusReason } from "../../domain/status-reason.ts";
import type { CallableOperation } from "../../store/callable-operations.ts";
import type { ClaimedRun } from "../../store/run-queue.ts";
import { disableOperation } from "../../store/scheduled-operations.ts";
import { endSubscription, setAside } from "../../store/subscriptions.ts";
import { eventMessage, invocationMessage } from "./call-message.ts";
import { CallAbandoned, type CallMessage, type CallTarget, callMs, callTarget, type OpenCalls } from "./call-target.ts";
import { type ClaimedWork, permitKeyOf } from "./claim-runs.ts";
import { createRunEnds, type RunEnds, type RunEndTools } from "./end-run.ts";
import type { EventLender } from "./load-events.ts";
import { type Metered, meteredResource, type RunMeter } from "./meter-runs.ts";
import { PostNotBegun } from "./post-once.ts";

/** Dependencies for executing a run. */
export type RunTools = RunEndTools & {
  readonly turns: Pick<Turns, "take">;
  readonly lendEvent: EventLender;
  /** Records whether the calls of a subscription succeed. */
  readonly failures: Pick<FailureWatch, "note">;
  readonly quota: Pick<Quota, "release">;
  readonly meter: RunMeter;
  readonly pacer: Pick<CallPacer, "reserve">;
  /** Returns the dispatcher that enforces an environment's rules for outgoing calls. */
  readonly dispatcherOf: (environment: string) => Dispatcher;
  readonly openCalls: OpenCalls;
  readonly logger: Logger;
  /** Makes the deferred runs of a subscription due if it may be called. */
  readonly resumeIfActive: (subscriptionId: string) => Promise<void>;
};

/** Wait before a run is claimed again after a dependency of the platform failed, in milliseconds. */
const putBackMs = 1_000;
const lostKeyMs = 60_000;
/**
 * Interval in milliseconds at which a call of a paused subscription, a disabled operation or a disabled client is
 * checked again. When it is resumed or enabled, its calls become due immediately.
 */
const heldMs = 60_000;
const disabledClientMs = 10_000;
/** The status by which a target requests no further calls (RFC 9110, 15.5.11). */
const gone = 410;

/** A run that has its turn to be called. */
type RunToCall = {
  readonly run: ClaimedRun;
  readonly operation: CallableOperation;
  readonly secret: string;
  readonly onResponse: () => void;
};

/**
 * Executes one claimed run: checks it, spends its quota, calls the target, and writes the outcome. After a crash, its
 * lease expires and another worker executes it again with the same invocation id. It is therefore executed at least
 * once.
 * @param onResponse called when the response of the target was read, before the outcome is written
 */
export async function executeRun(
  tools: RunTools,
  { run, operation, subscription }: ClaimedWork,
  onResponse: () => void = () => {},
): Promise<void> {
  const isOfEvent = run.document.subscription_id !== undefined;
  const ends = createRunEnds(tools, run);
  const { putBack, skip } = ends;
  // Events are not skipped, except for a deleted subscription: they wait until they may be delivered.
  if (isOfEvent && subscription === undefined) return skip("subscription_deleted");
  if (subscription === "ended") return setAside(tools.models.schedule, run);
  if (isOfEvent && (subscription !== "active" || operation === undefined)) {
    await putBack(heldMs);
    // It may have been resumed after its status was read and before the run was put back.
    return tools.resumeIfActive(run.document.subscription_id);
  }
  if (operation === undefined) return skip("operation_disabled");
  const { secret } = operation;
  if (secret === null) {
    tools.logger.error(
      { job: "make-run", resource_id: operation.id },
      "no key of SERVICE_KEY decrypts the secret of an operation; its run was put back",
    );
    return putBack(lostKeyMs);
  }
  const operationId = run.document.operation_id;
  const endTurn = await tools.turns.take(permitKeyOf({ operationId, isOfEvent }));
  if (endTurn === null) return putBack(0);
  try {
    const onTargetResponse = (): void => {
      endTurn();
      onResponse();
    };
    await meterAndCall(tools, { run, operation, secret, onResponse: onTargetResponse }, ends);
  } finally {
    endTurn();
  }
}

/** Spends the quota of a run whose turn has come, and calls its target. */
async function meterAndCall(
  tools: RunTools,
  { run, operation, secret, onResponse }: RunToCall,
  { end, putBack, skip }: RunEnds,
): Promise<void> {
  const { clock } = tools;
  const { project_client_id: clientId, event_id: eventId } = run.document;
  const isOfEvent = run.document.subscription_id !== undefined;
  let metered: Metered;
  try {
    // If a reserved call is not sent, its time remains unused.
    const heldUpMs = await takePlace(tools.pacer, operation);
    if (heldUpMs !== null) return putBack(heldUpMs);
    metered = await tools.meter(clientId);
  } catch (error) {
    // A run waits if its quota or its rate cannot be checked, so no run is executed unmetered or above its rate.
    tools.logger.warn({ err: error, job: "make-run", project_client_id: clientId }, "run put back");
    return putBack(putBackMs);
  }
  if (metered.is === "client_disabled") return isOfEvent ? putBack(disabledClientMs) : skip("project_client_disabled");
  if (metered.is === "exceeded") {
    const claimableAt = new Date(clock().getTime() + metered.retryAfterSeconds * 1_000);
    return end({ state: "deferred", claimableAt, attempt: null }, "deferred");
  }
  const { windowEndsAtMs } = metered;
  const release = (): Promise<void> =>
    tools.quota.release(clientId, meteredResource, 1, windowEndsAtMs).catch(() => undefined);
  // If the worker was paused, another one may have claimed the run and executes it.
  const leaveToNext = (): Promise<void> => {
    tools.observe("lease_lost");
    return release();
  };
  const isLate = (): boolean => clock().getTime() + callMs > run.leasedUntil.getTime();
  if (isLate()) return leaveToNext();
  const target = { operation, secrets: secretsAt(operation, secret, clock()), onResponse };
  try {
    if (eventId === undefined) await callAndSettle(tools, target, run, invocationMessage(operation, run), end);
    else {
      await tools.lendEvent({ clientId, eventId }, (loan) => {
        // The lease may have expired while this run waited for the event.
        if (isLate()) return leaveToNext();
        const logged = loan.take();
        return logged === null
          ? release().then(() =>
              end({ state: "failed", claimableAt: null, attempt: null, error: "event_gone" }, "failed"),
            )
          : callAndSettle(tools, target, run, eventMessage(logged), end, loan.release);
      });
    }
  } catch (error) {
    if (error instanceof PostNotBegun) return leaveToNext();
    if (!(error instanceof CallAbandoned)) throw error;
    await release();
    await putBack(0);
  }
}

/**
 * Waits until an operation with a limit of calls per second may be called.
 * @returns null if it may be called; otherwise the milliseconds after which to try again
 */
async function takePlace(pacer: RunTools["pacer"], operation: CallableOperation): Promise<number | null> {
  const { id: operationId, clientId, perSecond } = operation;
  if (perSecond === null) return null;
  const { isReserved, waitMs } = await pacer.reserve({ clientId, operationId, perSecond });
  if (!isReserved) return waitMs;
  if (waitMs > 0) await delay(waitMs);
  return null;
}

/** The secrets that sign a call. During an overlap, the replaced secret is one of them. */
function secretsAt({ previous }: CallableOperation, secret: string, now: Date): string[] {
  return previous !== null && now < previous.until ? [secret, previous.secret] : [secret];
}

/**
 * Handles a 410 of the target. In response to an event, it ends the subscription; in response to a scheduled call, it
 * disables the operation.
 */
async function endCalls(
  { models, facts, clock }: RunTools,
  { document }: ClaimedRun,
  outcome: CallOutcome,
): Promise<void> {
  const { project_client_id: clientId, operation_id, subscription_id } = document;
  const now = clock();
  const reason = statusReason(gone, now, outcome.response);
  const data = { status_code: gone, at: now.toISOString(), body_start: reason.body_start };
  if (subscription_id === undefined) {
    const fact = { resource: "scheduled_operation", id: operation_id, state: "disabled", data, time: now.getTime() };
    await disableOperation(models.schedule, operation_id, { reason, fact: facts.notice(clientId, fact, now) });
    return;
  }
  const fact = { resource: "subscription", id: subscription_id, state: "ended", data: { operation_id, ...data } };
  await endSubscription(models.subscriptions, subscription_id, reason, facts.notice(clientId, fact, now));
}

async function callAndSettle(
  tools: RunTools,
  target: CallTarget & { readonly onResponse: () => void },
  run: ClaimedRun,
  message: CallMessage,
  end: RunEnds["end"],
  onBodySent?: () => void,
): Promise<void> {
  const { operation } = target;
  const [at, startedAtMs] = [tools.clock(), performance.now()];
  const dispatcher = tools.dispatcherOf(operation.environment);
  // The wait for a connection is part of the call, so a call that starts in time ends before the lease does. The lease
  // ends by the database's clock.
  const mayBegin = (): boolean => performance.now() < startedAtMs + callMs && tools.clock() < run.leasedUntil;
  const { openCalls } = tools;
  const outcome = await callTarget(target, message, { dispatcher, now: at, openCalls, mayBegin, onBodySent });
  target.onResponse();
  const tries = { made: run.document.tries_made + 1, left: run.document.tries_left - 1 };
  const verdict = decideRun(outcome, tries, tools.clock());
  // This must happen before the run is settled, so that a crash in between repeats the call instead of leaving the
  // operation enabled.
  if (outcome.statusCode === gone) await endCalls(tools, run, outcome);
  const attempt = { at, status_code: outcome.statusCode, error: outcome.error, response: outcome.response };
  const claimableAt = verdict.state === "pending" ? verdict.retryAt : null;
  await end({ state: verdict.state, claimableAt, attempt }, verdict.state === "pending" ? "retried" : verdict.state);
  // The outcome is written first, because it decides whether there is another call.
  const { subscription_id: subscriptionId } = run.document;
  if (subscriptionId !== undefined) await tools.failures.note(subscriptionId, verdict.state === "succeeded");
}
