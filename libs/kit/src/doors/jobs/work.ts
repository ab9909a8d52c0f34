/** Work claimed by lease, job loops and sweeps. */
export { type JobLoop, startJobLoop } from "../../jobs/job-loop.ts";
export { type Claim, createLeaseQueue, type LeaseQueue, type LeaseUpdate } from "../../jobs/lease-queue.ts";
export { type CreateSweep, type Sweep, sweepFactory } from "../../jobs/sweep.ts";
