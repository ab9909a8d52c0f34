/** Waiting, repeating, and limits of concurrency. */
export { type BackoffRule, backoffMs, putOffMs } from "../../jobs/backoff.ts";
export { claimTaken, type Taken, takeRoundRobin } from "../../jobs/fair-queue.ts";
export { createInterruptibleSleep } from "../../jobs/interruptible-sleep.ts";
export { jittered, type PollLoop, startPollLoop } from "../../jobs/poll-loop.ts";
export { type RepeatedJob, repeat } from "../../jobs/repeat.ts";
export { createSemaphore, type Release, type Semaphore } from "../../jobs/semaphore.ts";
export { createTurns, type EndTurn, type Turns } from "../../jobs/turns.ts";
