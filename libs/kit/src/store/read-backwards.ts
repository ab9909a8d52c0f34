const minuteMs = 60_000;
/** A longer period is not tried, because it usually contains the whole list. */
const longestMs = 100 * 24 * 60 * minuteMs;
const [growthMin, growthMax] = [4, 60];

/**
 * Reads the newest items of a long list from a server that reads and sorts everything that matches. It reads them from
 * the last minute before `end`, then from longer and longer periods, and finally from the whole list. The numbers found
 * decide how much longer the next period is, so that it contains about twice the wanted items.
 * @param read reads at most `wanted` items since a time, or of the whole list if the time is null
 * @param list `since` is the beginning of the list; null leaves it open
 */
export async function readBackwards<T>(
  read: (since: Date | null) => Promise<T[]>,
  { end, since, wanted }: { readonly end: Date; readonly since: Date | null; readonly wanted: number },
): Promise<T[]> {
  let foundBefore = 0;
  for (let periodMs = minuteMs; periodMs <= longestMs; ) {
    const beginning = new Date(end.getTime() - periodMs);
    if (since !== null && beginning <= since) break;
    const found = await read(beginning);
    if (found.length >= wanted) return found;
    // A period that adds nothing says nothing about earlier ones.
    const growth = found.length === foundBefore ? growthMax : Math.ceil((2 * wanted) / found.length);
    periodMs *= Math.min(growthMax, Math.max(growthMin, growth));
    foundBefore = found.length;
  }
  return read(since);
}
