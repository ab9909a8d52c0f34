import { describe, expect, it } from "vitest";
import { readBackwards } from "./read-backwards.ts";

const end = new Date("2026-03-01T12:00:00.000Z");
const wanted = 51;
const [minuteMs, dayMs] = [60_000, 86_400_000];

/** Reads a list whose items are evenly spaced, and returns how many items each read matched. */
async function matchesOf({ count, everyMs, since = null }: { count: number; everyMs: number; since?: Date | null }) {
  const times = Array.from({ length: count }, (_, index) => end.getTime() - 1 - index * everyMs);
  const matches: number[] = [];
  const read = async (beginning: Date | null) => {
    const matching = times.filter((time) => time >= (beginning ?? since ?? new Date(0)).getTime());
    matches.push(matching.length);
    return matching.slice(0, wanted);
  };
  const items = await readBackwards(read, { end, since, wanted });
  const begun = since?.getTime() ?? 0;
  expect(items).toEqual(times.filter((time) => time >= begun).slice(0, wanted));
  return matches;
}

describe("reading a long list backwards", () => {
  it("reads the last minute alone if it fills the page", async () => {
    expect(await matchesOf({ count: 1_000, everyMs: 1_000 })).toEqual([60]);
  });

  it.each([
    ["ten seconds", 10_000],
    ["two minutes", 2 * minuteMs],
    ["ten minutes", 10 * minuteMs],
    ["two hours", 120 * minuteMs],
    ["a day", dayMs],
  ])("matches few more items than it shows in a list with an item every %s", async (_name, everyMs) => {
    const matches = await matchesOf({ count: 100_000, everyMs });
    expect(matches.length).toBeLessThanOrEqual(5);
    expect(matches.at(-1)).toBeLessThanOrEqual(4.2 * wanted);
  });

  it("reads a short list at most five times, however old its items are", async () => {
    expect(await matchesOf({ count: 7, everyMs: 1_000 })).toEqual([7, 7, 7, 7, 7]);
    expect(await matchesOf({ count: 0, everyMs: 1 })).toEqual([0, 0, 0, 0]);
    expect((await matchesOf({ count: 7, everyMs: 20 * dayMs })).length).toBeLessThanOrEqual(5);
  });

  it("reads no period that is as long as the time range", async () => {
    const since = new Date(end.getTime() - minuteMs);
    expect(await matchesOf({ count: 100, everyMs: 2_000, since })).toEqual([30]);
    expect(await matchesOf({ count: 100, everyMs: 2_000, since: new Date(since.getTime() - 1) })).toEqual([30, 31]);
  });
});
