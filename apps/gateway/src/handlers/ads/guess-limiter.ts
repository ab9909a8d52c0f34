import { isServiceError, ServiceError } from "@platform/service-kit/errors/service-error";
import { LRUCache } from "lru-cache";
import { sourceNetwork } from "../../http/source-network.ts";

/** Keeps a source that sends tokens which are none from having many of them verified at once. */
export type GuessLimiter = {
  /**
   * Judges a token. A source with too many wrong ones within a minute has its tokens judged one after the other until the minute is over:
   * a guesser gets no more than one verification at a time, and an honest browser behind the same address is slowed, not refused.
   * @throws ServiceError decision_token_invalid, unjudged, when too many of such a source are waiting already
   */
  judge<T>(source: string, work: () => Promise<T>): Promise<T>;
};

type Source = { failures: number; endsMs: number; waiting: number; last: Promise<unknown> };

const windowMs = 60_000;

/**
 * A limiter of this process. It saves the work of verifying and protects no secret, for a signature is not guessed at any rate; so it may be
 * local to one gateway, and it forgets the sources it has not seen for longest when there are more than `sourcesMax`.
 */
export function createGuessLimiter(
  options: { failuresPerMinute?: number; waitingMax?: number; sourcesMax?: number; now?: () => number } = {},
): GuessLimiter {
  const { failuresPerMinute = 60, waitingMax = 32, sourcesMax = 50_000, now = () => performance.now() } = options;
  const sources = new LRUCache<string, Source>({ max: sourcesMax });

  const current = (network: string): Source | undefined => {
    const source = sources.get(network);
    return source !== undefined && now() < source.endsMs ? source : undefined;
  };

  const countFailure = (network: string): void => {
    const source = current(network);
    if (source !== undefined) source.failures += 1;
    else sources.set(network, { failures: 1, endsMs: now() + windowMs, waiting: 0, last: Promise.resolve() });
  };

  const counted = async <T>(network: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (isServiceError(error, "decision_token_invalid")) countFailure(network);
      throw error;
    }
  };

  return {
    judge: async (address, work) => {
      const network = sourceNetwork(address);
      const source = current(network);
      if (source === undefined || source.failures < failuresPerMinute) return await counted(network, work);
      if (source.waiting >= waitingMax) throw refusedUnjudged();
      source.waiting += 1;
      const turn = source.last.then(() => counted(network, work));
      source.last = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        source.waiting -= 1;
      }
    },
  };
}

function refusedUnjudged(): ServiceError {
  return new ServiceError(
    "decision_token_invalid",
    "Too many invalid ad decision tokens came from this address; a valid one can be reported again in a minute.",
  );
}
