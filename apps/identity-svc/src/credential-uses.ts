import { repeat } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import type { CredentialUse } from "./domain/project-credential.ts";

/** Records when and from where credentials were last used, in batches and outside of the authenticating calls. */
export type CredentialUses = {
  /** Records a use in memory; writes nothing to the store. */
  note(credentialId: string, use: CredentialUse): void;
  /** Writes the recorded uses, at most once a minute per credential. */
  flush(): Promise<void>;
  /** Waits for a running write, and writes the remaining uses. */
  close(): Promise<void>;
};

const writeEveryMs = 60_000;
const flushEveryMs = 5_000;
/** Credentials remembered between flushes; further uses are dropped to bound memory. */
const notedMax = 50_000;

export function createCredentialUses(
  write: (uses: ReadonlyMap<string, CredentialUse>) => Promise<void>,
  logger: Logger,
): CredentialUses {
  let noted = new Map<string, CredentialUse>();
  const writtenAt = new Map<string, number>();

  const flush = async (): Promise<void> => {
    if (noted.size === 0) return;
    const uses = noted;
    noted = new Map();
    try {
      await write(uses);
    } catch (error) {
      logger.warn({ err: error, job: "note-credential-uses" }, "the last use of credentials could not be written");
      return;
    }
    for (const [id, { at }] of uses) writtenAt.set(id, at.getTime());
    // Removes the least recently written credentials first.
    for (const id of writtenAt.keys()) {
      if (writtenAt.size <= notedMax) break;
      writtenAt.delete(id);
    }
  };
  const flushing = repeat("note-credential-uses", flushEveryMs, logger, flush);

  return {
    note: (credentialId, use) => {
      const last = writtenAt.get(credentialId);
      if (last !== undefined && use.at.getTime() - last < writeEveryMs) return;
      if (noted.size < notedMax || noted.has(credentialId)) noted.set(credentialId, use);
    },
    flush,
    close: async () => {
      await flushing.stop();
      await flush();
    },
  };
}
