import { LRUCache } from "lru-cache";

const minuteMs = 60_000;

/**
 * Counts something that a source does, such as a request. Returns null if it is within the limits. Otherwise it returns
 * after how many seconds the source may try again.
 */
export type SourceLimit = (source: string) => number | null;

/**
 * Limits how often each source, and all sources together, may do something in a window of time. Each process counts
 * separately, in memory. The source that did something the longest time ago is forgotten first, so a caller that
 * controls more than `sourcesMax` sources is stopped only by the limit of all sources.
 * @param options.perSource maximum of one source in a window, which starts when the source is first counted
 * @param options.inAll maximum of all sources together in a window
 */
export function createSourceLimit(options: {
  readonly perSource: number;
  readonly inAll?: number;
  readonly windowMs?: number;
  readonly sourcesMax?: number;
  readonly now?: () => number;
}): SourceLimit {
  const { perSource, inAll = Number.POSITIVE_INFINITY, windowMs = minuteMs, sourcesMax = 20_000 } = options;
  const { now = () => performance.now() } = options;
  const sources = new LRUCache<string, Count>({ max: sourcesMax });
  let all: Count = { used: 0, untilMs: 0 };

  const current = (count: Count | undefined): Count =>
    count === undefined || count.untilMs <= now() ? { used: 0, untilMs: now() + windowMs } : count;
  const secondsLeft = ({ untilMs }: Count): number => Math.max(1, Math.ceil((untilMs - now()) / 1_000));

  return (source) => {
    all = current(all);
    const own = current(sources.get(source));
    sources.set(source, own);
    if (own.used >= perSource) return secondsLeft(own);
    if (all.used >= inAll) return secondsLeft(all);
    all.used += 1;
    own.used += 1;
    return null;
  };
}

type Count = { used: number; readonly untilMs: number };
