import { LRUCache } from "lru-cache";
import { sourceNetwork } from "../http/source-network.ts";
import { replayMs } from "./idempotency-records.ts";

/** How long an outcome is kept once its source has left a day's share behind: long enough for any retry that is still under way. */
export const pressedReplayMs = 60_000;

/** Says how long the outcome of a request without a credential is kept for its repeats, in milliseconds. */
export type ReplayRetention = { forSource(address: string): number };

/**
 * Whoever may ask without a credential can leave a new Idempotency-Key with every request, and no quota counts them. So that nobody fills
 * Redis, a source has so many kept for a day, and all sources together; what comes beyond is kept for a minute: it is done and replayed
 * like any other, and forgotten sooner. Counted in this process, for it guards memory and no right; sources not seen for longest are
 * forgotten.
 */
export function createReplayRetention(
  options: { perSource?: number; inAll?: number; sourcesMax?: number; now?: () => number } = {},
): ReplayRetention {
  const { perSource = 10_000, inAll = 100_000, sourcesMax = 50_000, now = () => performance.now() } = options;
  const kept = new LRUCache<string, number>({ max: sourcesMax });
  let keptInAll = 0;
  let dayEndsMs = now() + replayMs;
  return {
    forSource: (address) => {
      if (now() >= dayEndsMs) {
        kept.clear();
        keptInAll = 0;
        dayEndsMs = now() + replayMs;
      }
      const source = sourceNetwork(address);
      const count = kept.get(source) ?? 0;
      if (count >= perSource || keptInAll >= inAll) return pressedReplayMs;
      kept.set(source, count + 1);
      keptInAll += 1;
      return replayMs;
    },
  };
}
