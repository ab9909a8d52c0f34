import { isIPv6 } from "node:net";
import { LRUCache } from "lru-cache";

/** Counts tokens that were no tokens, by the source they came from. */
export type GuessLimiter = {
  /** May this source have another token judged? */
  mayTry(source: string): boolean;
  /** A token of this source was not one of ours. */
  countFailure(source: string): void;
};

/**
 * A limiter of this process: after `failuresPerMinute` wrong tokens within a minute a source gets none judged until the minute is over.
 * It saves the work of verifying, it does not protect a secret: an Ed25519 signature is not guessed at any rate. So it may be local to
 * one gateway, and it forgets the sources it has not seen for longest when there are more than `sourcesMax`.
 */
export function createGuessLimiter(
  options: { failuresPerMinute?: number; sourcesMax?: number; now?: () => number } = {},
): GuessLimiter {
  const { failuresPerMinute = 60, sourcesMax = 50_000, now = () => performance.now() } = options;
  const failures = new LRUCache<string, { count: number; endsMs: number }>({ max: sourcesMax });
  const current = (source: string): { count: number; endsMs: number } | undefined => {
    const counted = failures.get(networkOf(source));
    return counted !== undefined && now() < counted.endsMs ? counted : undefined;
  };
  return {
    mayTry: (source) => (current(source)?.count ?? 0) < failuresPerMinute,
    countFailure: (source) => {
      const counted = current(source);
      if (counted !== undefined) counted.count += 1;
      else failures.set(networkOf(source), { count: 1, endsMs: now() + 60_000 });
    },
  };
}

/** Who a source is taken for: an IPv4 address, or the /64 of an IPv6 one, for a single host has all addresses of that. */
function networkOf(source: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(source);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!isIPv6(source)) return source;
  const [head = "", tail = ""] = source.split("%", 1)[0]?.split("::") ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = source.includes("::") ? Math.max(0, 8 - before.length - after.length) : 0;
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...after];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
