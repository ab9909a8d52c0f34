import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Keyring } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import { reasonOf } from "@platform/operator-plane/clients";
import type { Stores } from "../store/create-stores.ts";

const everyMs = 1_000;

/**
 * Executes identity-svc's own part of every erasure. A part that was interrupted is executed again and erases the
 * rest.
 */
export function startErasing(options: {
  readonly stores: Pick<Stores, "erasures" | "eraser">;
  readonly keyring: Keyring;
  readonly logger: Logger;
  readonly clock: () => Date;
}): RepeatedJob {
  const { stores, keyring, logger, clock } = options;
  return repeat("erase", everyMs, logger, async (signal) => {
    for (const { id, subject } of await stores.erasures.listOpen("identity", keyring, clock())) {
      let erased: number;
      try {
        erased =
          subject.clientId === null
            ? await stores.eraser.erasePerson(subject, keyring, signal)
            : await stores.eraser.eraseClient(subject.clientId, signal);
      } catch (error) {
        logger.error({ job: "erase", resource_id: id, err: error }, "a part of an erasure failed");
        await stores.erasures.failStep(id, "identity", reasonOf(error), clock());
        continue;
      }
      if (signal.aborted) return;
      await stores.erasures.finishStep(id, "identity", erased, clock());
      logger.info({ job: "erase", resource_id: id, count: erased }, "erased");
    }
  });
}
