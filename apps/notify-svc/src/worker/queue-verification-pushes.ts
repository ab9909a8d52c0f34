import { type RepeatedJob, repeat } from "@platform/service-kit/jobs/repeat";
import { newId } from "@platform/service-kit/secrets/id";
import { queueVerificationPush } from "../store/verification-pushes.ts";
import type { WorkerDeps } from "./worker-deps.ts";

const batchSize = 100;

/** Queues verification pushes that the server did not: it was interrupted, or there was no profile. */
export function startVerificationPushes(deps: WorkerDeps, everyMs: number): RepeatedJob {
  const { stores, tokens, clock, logger } = deps;
  return repeat("queue-verification-pushes", everyMs, logger, async () => {
    for (const endpoint of await stores.endpoints.findPushesDue(clock(), batchSize)) {
      await queueVerificationPush(stores, tokens, endpoint, newId(), clock());
    }
  });
}
