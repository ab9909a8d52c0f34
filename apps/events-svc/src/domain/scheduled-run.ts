import { type BackoffRule, backoffMs } from "@platform/kit/jobs/pacing";
import { retryAfterMs } from "@platform/kit/web/outbound";

/**
 * States of a run. `pending` means that it waits for its next attempt, `deferred` that it waits for quota, and
 * `waiting` that it waits for the previous run of its ordered stream or its schedule.
 */
export type RunState = "pending" | "running" | "succeeded" | "failed" | "skipped" | "deferred" | "waiting";

/** An attempt to execute a run. */
export type RunAttempt = {
  readonly at: Date;
  /** Null if no response arrived. */
  readonly status_code: number | null;
  /** Why the attempt failed; null after a 2xx. */
  readonly error: string | null;
  /** The first 1 KiB of the body of a rejecting response, or null if there is none. */
  readonly response: string | null;
};

/** Result of one attempt. */
export type CallOutcome = {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly retryAfter: string | null;
  readonly response: string | null;
};

const retryRule: BackoffRule = { baseMs: 5_000, maxMs: 3_600_000, jitter: 0.2 };
const retryAfterMsMax = 24 * 3_600_000;

/** The decision about a run after an attempt. */
export type Verdict =
  | { readonly state: "succeeded" | "failed" }
  | { readonly state: "pending"; readonly retryAt: Date };

/**
 * Decides about a run after an attempt. A 2xx ends the run, and a 410 is final. After any other response, including
 * redirects, or after no response, the run is retried as long as attempts are left.
 * @param tries attempts since the run was started or redriven, including this one
 */
export function decideRun(
  outcome: CallOutcome,
  tries: { readonly made: number; readonly left: number },
  now: Date,
  random: number = Math.random(),
): Verdict {
  const { statusCode } = outcome;
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) return { state: "succeeded" };
  if (statusCode === 410 || tries.left <= 0) return { state: "failed" };
  const asked = statusCode === 429 || statusCode === 503 ? retryAfterMs(outcome.retryAfter, now.getTime()) : null;
  // The jitter only adds time, so that the call is not sent before the time that the target requested.
  const waitMs = asked === null ? backoffMs(retryRule, tries.made, random) : Math.round(asked * (1 + 0.1 * random));
  return { state: "pending", retryAt: new Date(now.getTime() + Math.min(waitMs, retryAfterMsMax)) };
}
