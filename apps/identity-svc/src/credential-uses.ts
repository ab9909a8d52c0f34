import type { Logger } from "@platform/service-kit/process/logger";

/** Remembers when credentials were used and writes it down now and then, away from the calls that authenticate. */
export type CredentialUses = {
  /** Notes a use. Costs a map look-up; writes nothing. */
  note(credentialId: string, at: Date): void;
  /** Writes what was noted; a credential at most once a minute. */
  flush(): Promise<void>;
  /** Stops the timer and writes what is left. */
  close(): Promise<void>;
};

const writeEveryMs = 60_000;
const flushEveryMs = 5_000;
/** Credentials remembered between flushes; past it uses go unnoted rather than memory growing. */
const notedMax = 50_000;

export function createCredentialUses(
  write: (uses: ReadonlyMap<string, Date>) => Promise<void>,
  logger: Logger,
): CredentialUses {
  let noted = new Map<string, Date>();
  const writtenAt = new Map<string, number>();

  const flush = async (): Promise<void> => {
    if (noted.size === 0) return;
    const uses = noted;
    noted = new Map();
    try {
      await write(uses);
    } catch (error) {
      logger.warn({ err: error, job: "note-credential-uses" }, "credential uses not written");
      return;
    }
    for (const [id, at] of uses) writtenAt.set(id, at.getTime());
    // Insertion order is the order of first writing, so the oldest go first.
    for (const id of writtenAt.keys()) {
      if (writtenAt.size <= notedMax) break;
      writtenAt.delete(id);
    }
  };
  const timer = setInterval(() => void flush(), flushEveryMs);
  timer.unref();

  return {
    note: (credentialId, at) => {
      const last = writtenAt.get(credentialId);
      if (last !== undefined && at.getTime() - last < writeEveryMs) return;
      if (noted.size < notedMax || noted.has(credentialId)) noted.set(credentialId, at);
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
