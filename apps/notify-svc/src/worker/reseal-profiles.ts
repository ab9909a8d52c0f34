import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { WorkerDeps } from "./worker-deps.ts";

const batchSize = 500;

/**
 * Encrypts sender profiles again after a rotation of the service key, so that the previous key can be removed. Also
 * deletes replaced configurations whose overlap has ended.
 */
export function startResealing({ stores, logger, clock }: WorkerDeps, everyMs: number): RepeatedJob {
  return repeat("reseal-profiles", everyMs, logger, async () => {
    await stores.senderProfiles.dropExpiredConfigs(clock());
    const count = await stores.senderProfiles.reseal(batchSize);
    if (count > 0)
      logger.info({ job: "reseal-profiles", count }, "sender profiles were encrypted with the current key");
  });
}
