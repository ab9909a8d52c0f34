import { setTimeout as delay } from "node:timers/promises";
import type { Check } from "../row.ts";

/** A backlog of calls that a worker executes. */
export type Backlog = {
  /** Returns whether the target has received every call. It may wait for a moment, so that it needs to be asked less often. */
  hasArrived(): Promise<boolean>;
  /** Returns whether the outcome of every call is recorded. */
  isRecorded(): Promise<boolean>;
};

const msMax = 300_000;
const arrivalPollMs = 20;
/** Shorter than the poll for arrivals, because the end of the measurement depends on it. */
const recordPollMs = 5;

/**
 * Waits until a worker has made all calls of a backlog and recorded their outcomes, and returns the milliseconds that this takes. The store is asked only after
 * the last call has arrived, because the queries would slow the worker.
 * @throws when the worker does not finish within five minutes
 */
export async function msUntilRecorded(
  { hasArrived, isRecorded }: Backlog,
  { now, pause }: { now(): number; pause(ms: number): Promise<unknown> } = {
    now: () => performance.now(),
    pause: delay,
  },
): Promise<number> {
  const startedAtMs = now();
  const until = async (isDone: () => Promise<boolean>, pollMs: number, failure: string): Promise<void> => {
    for (; !(await isDone()); await pause(pollMs)) if (now() - startedAtMs > msMax) throw new Error(failure);
  };
  await until(hasArrived, arrivalPollMs, "some of the calls did not arrive");
  await until(isRecorded, recordPollMs, "not all outcomes were recorded");
  return now() - startedAtMs;
}

/** Numbers of calls that a target received, of distinct ones among them, and of runs that are recorded as succeeded. */
type Found = { readonly calls: number; readonly distinct: number; readonly succeeded: number };

/** Checks that each of the expected calls was made once and is recorded as succeeded. */
export function lostOrDoubled(expected: number, { calls, distinct, succeeded }: Found): Check {
  return {
    text: `none of ${expected} lost or doubled`,
    value: `${expected - distinct} lost, ${calls - distinct} doubled, ${expected - succeeded} not recorded`,
    met: calls === expected && distinct === expected && succeeded === expected,
  };
}
