import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import { newId } from "@platform/kit/process/secrets";
import { queueVerificationPush } from "../store/verification-pushes.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/**
 * Queues the verification pushes that the server did not queue because it was interrupted or because no profile
 * existed.
 */
export function startVerificationPushes(deps: WorkerDeps, everyMs: number): RepeatedJob {
  const { stores, tokens, clock, logger } = deps;
  const sweep = deps.createSweep("queue-verification-pushes");
  return repeat("queue-verification-pushes", everyMs, logger, (signal) =>
    sweep.run({
      find: (except, limit) => stores.endpoints.findPushesDue(clock(), limit, except),
      idOf: ({ id }) => id,
      work: async (endpoint) => void (await queueVerificationPush(stores, tokens, endpoint, newId(), clock())),
      signal,
    }),
  );
}
