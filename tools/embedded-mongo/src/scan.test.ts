import { Int32 } from "bson";
import { describe, expect, it } from "vitest";
import { candidatesOf, listedCandidates } from "./candidates.ts";
import { checkedBytes, checkedEvery, Scan } from "./scan.ts";
import { SortedKeys } from "./sorted-keys.ts";
import { ParsedDocuments, StoredDocument } from "./stored-document.ts";
import { type Doc, encode, toNumber } from "./values.ts";

const parsed = new ParsedDocuments();
const storedAs = (number: number, doc: Doc): StoredDocument => new StoredDocument(number, encode(doc), parsed);
const documents = (count: number, text = ""): StoredDocument[] =>
  Array.from({ length: count }, (_, index) => storedAs(index, { n: new Int32(index), text }));
const candidates = (count: number, text = "") => listedCandidates(documents(count, text));
/** Creates a clock that advances by 10 ms each time it is read, so that each read ends a time slice. */
const hurriedClock = (): (() => number) => {
  let nowMs = 0;
  return () => {
    nowMs += 10;
    return nowMs;
  };
};
const isEven = ({ n }: Doc): boolean => (toNumber(n) ?? 1) % 2 === 0;
const all = { matchesMax: Number.POSITIVE_INFINITY, fields: null };

describe("a scan", () => {
  it.each([
    ["documents", checkedEvery - 1, "", false],
    ["documents", checkedEvery, "", true],
    ["bytes", 1, "x".repeat(checkedBytes - 100), false],
    ["bytes", 1, "x".repeat(checkedBytes), true],
  ])("measures the time slice of many %s (%i) from the first reading of the clock", (_, count, text, isInTurns) => {
    const scan = new Scan(candidates(count, text), { ...all, matches: isEven, now: hurriedClock() });
    expect(scan.inTurns() instanceof Promise).toBe(isInTurns);
  });

  it("returns each match as it was when it was examined, whatever changes between time slices", async () => {
    const given = documents(3 * checkedEvery);
    const [first] = given as [StoredDocument];
    const last = given.at(-2) as StoredDocument;
    const finding = new Scan(listedCandidates(given), { ...all, matches: isEven, now: hurriedClock() }).inTurns();
    for (const stored of [first, last]) {
      const odd = { n: new Int32(1), text: "changed" };
      stored.change(encode(odd), odd);
    }
    const numbers = (await finding).map(({ doc }) => toNumber(doc.n));
    expect(numbers).toEqual(Array.from({ length: (3 * checkedEvery) / 2 - 1 }, (_, index) => 2 * index));
  });

  it("returns documents that are removed from the index between its time slices", async () => {
    const given = documents(4 * checkedEvery);
    const keyOf = ({ number }: StoredDocument): string => String.fromCharCode(0x100 + number);
    const index = new SortedKeys<StoredDocument>();
    for (const stored of given) index.insert(keyOf(stored), stored);
    const entries = candidatesOf(index.range("", "\uffff"), ([, stored]) => stored);
    const finding = new Scan(entries, { ...all, matches: null, now: hurriedClock() }).inTurns();
    for (const stored of given) index.remove(keyOf(stored));
    expect(await finding).toEqual(given);
  });

  it("reads no more candidates than a time slice examines, however many there are", async () => {
    const given = candidates(100 * checkedEvery);
    let read = 0;
    const counted = {
      ...given,
      next: () => {
        read += 1;
        return given.next();
      },
    };
    const finding = new Scan(counted, { ...all, matches: isEven, now: hurriedClock() }).inTurns();
    expect(read).toBe(checkedEvery);
    expect(await finding).toHaveLength(50 * checkedEvery);
  });

  it("delays other commands by only one time slice, regardless of the number of scans", async () => {
    let examined = 0;
    const count = (): void => {
      examined += 1;
    };
    const options = { ...all, matches: isEven, examined: count };
    const scans = Array.from({ length: 8 }, () =>
      new Scan(candidates(10 * checkedEvery), { ...options, now: hurriedClock() }).inTurns(),
    );
    let before = examined;
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(examined - before).toBeLessThanOrEqual(checkedEvery);
      before = examined;
    }
    expect((await Promise.all(scans)).map(({ length }) => length)).toEqual(Array(8).fill(5 * checkedEvery));
  });

  it("fails in a later time slice once its time is over, and lets the next scan continue", async () => {
    const now = hurriedClock();
    const late = new Scan(candidates(20 * checkedEvery), { ...all, matches: isEven, untilMs: 50, now }).inTurns();
    const next = new Scan(candidates(2 * checkedEvery), { ...all, matches: isEven, now: hurriedClock() }).inTurns();
    await expect(late).rejects.toThrow("operation exceeded time limit");
    expect(await next).toHaveLength(checkedEvery);
  });

  it("ends after the requested number of matches", async () => {
    const scan = new Scan(candidates(10 * checkedEvery), {
      ...all,
      matchesMax: 40,
      matches: isEven,
      now: hurriedClock(),
    });
    expect(await scan.inTurns()).toHaveLength(40);
  });
});
