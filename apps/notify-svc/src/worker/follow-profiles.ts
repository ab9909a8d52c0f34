import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";
import { type OpenedProfile, profileKey } from "../domain/sender-profile.ts";
import type { Senders } from "../providers/senders.ts";
import type { Stores } from "../store/stores.ts";

const configsMax = 2_000;
/** By how much two reads overlap, in milliseconds, because a write may become visible later than its time. */
const lookBackMs = 30_000;
/**
 * After how long the connections of a replaced configuration are closed, in milliseconds. Every attempt that uses
 * them has ended by then.
 */
const closeAfterMs = 120_000;

type FollowerDeps = {
  readonly stores: Pick<Stores, "senderProfiles">;
  readonly senders: Pick<Senders, "forget">;
  readonly clock: () => Date;
  readonly logger: Logger;
};

/**
 * The sender profiles as a worker sees them. It decrypts a configuration once, and again after each change, and knows
 * which profiles are disabled.
 */
export type ProfileFollower = Awaited<ReturnType<typeof followProfiles>>;

/**
 * Follows the changes of sender profiles in the store, every `everyMs`. Resolves once it knows which profiles are
 * disabled.
 */
export async function followProfiles({ stores, clock, logger, senders }: FollowerDeps, everyMs: number) {
  const opened = new Map<string, OpenedProfile>();
  const closing = new Map<string, number>();
  let disabled = new Set<string>();
  let since = new Date(clock().getTime() - lookBackMs);

  const look = async (): Promise<void> => {
    const now = clock();
    disabled = new Set(await stores.senderProfiles.listDisabled());
    for (const { id, revision } of await stores.senderProfiles.listChanged(since)) {
      const known = opened.get(id);
      if (known === undefined || known.current.key === profileKey(id, revision)) continue;
      opened.delete(id);
      const keptUntilMs = Math.max(now.getTime(), known.previous?.until.getTime() ?? 0) + closeAfterMs;
      if (known.previous !== null) closing.set(known.previous.key, now.getTime() + closeAfterMs);
      closing.set(known.current.key, keptUntilMs);
    }
    since = new Date(now.getTime() - lookBackMs);
    for (const [key, atMs] of closing) {
      if (atMs > now.getTime() || isUsed(key)) continue;
      senders.forget(key);
      closing.delete(key);
    }
  };
  const isUsed = (key: string): boolean =>
    [...opened.values()].some(({ current, previous }) => current.key === key || previous?.key === key);

  await look();
  const job: RepeatedJob = repeat("follow-profiles", everyMs, logger, look);
  return {
    isDisabled: (profileId: string): boolean => disabled.has(profileId),
    /** The profile's configuration, or null if the profile does not exist. */
    open: async (projectClientId: string, profileId: string): Promise<OpenedProfile | null> => {
      const known = opened.get(profileId);
      if (known !== undefined) return known;
      const found = await stores.senderProfiles.openConfig(projectClientId, profileId);
      if (found === null) return null;
      opened.set(profileId, found);
      const [oldest] = opened.keys();
      if (opened.size > configsMax && oldest !== undefined) opened.delete(oldest);
      return found;
    },
    stop: job.stop,
  };
}
