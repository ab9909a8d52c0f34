import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBodyRoom } from "./body-room.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

/** A room of 100 bytes, of which a caller may have 50, and the order in which bodies were let in. */
function roomUnderTest() {
  const room = createBodyRoom({ bytesMax: 100, waitMs: 1_000 });
  const order: string[] = [];
  const releases = new Map<string, () => void>();
  const take = (name: string, caller: string, bytes: number, signal = never): Promise<boolean> =>
    room.take(caller, bytes, signal).then((giveBack) => {
      order.push(giveBack === null ? `${name} refused` : name);
      if (giveBack !== null) releases.set(name, giveBack);
      return giveBack !== null;
    });
  const giveBack = async (name: string): Promise<void> => {
    releases.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  const settle = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0));
  return { take, giveBack, settle, order };
}

test("a caller has half the room, at the byte, and one byte more waits until something is given back", async () => {
  const { take, giveBack, settle, order } = roomUnderTest();
  expect(await take("first", "a", 30)).toBe(true);
  expect(await take("second", "a", 20)).toBe(true);
  void take("third", "a", 1);
  await settle();
  expect(order).toEqual(["first", "second"]);
  await giveBack("second");
  expect(order).toEqual(["first", "second", "third"]);
});

test("one caller's large bodies, however many, leave room for another's (CWE-400)", async () => {
  const { take, settle, order } = roomUnderTest();
  for (let index = 0; index < 20; index += 1) void take(`flood ${index}`, "flood", 25);
  void take("neighbour", "b", 50);
  await settle();
  expect(order).toEqual(["flood 0", "flood 1", "neighbour"]);
});

test("all the room is taken at the byte, and one byte more of a third caller waits", async () => {
  const { take, giveBack, settle, order } = roomUnderTest();
  await take("a", "a", 50);
  await take("b", "b", 50);
  void take("c", "c", 1);
  await settle();
  expect(order).toEqual(["a", "b"]);
  await giveBack("a");
  expect(order).toEqual(["a", "b", "c"]);
});

test("callers that wait are served in turn, each its own in their order, and a larger one is not overtaken", async () => {
  const { take, giveBack, settle, order } = roomUnderTest();
  await take("x", "x", 50);
  await take("y", "y", 50);
  for (const name of ["a1", "a2", "a3"]) void take(name, "a", 25);
  void take("b1", "b", 50);
  void take("c1", "c", 10);
  await settle();
  await giveBack("x");
  expect(order).toEqual(["x", "y", "a1"]);
  await giveBack("y");
  expect(order).toEqual(["x", "y", "a1", "b1", "c1"]);
  await giveBack("b1");
  expect(order).toEqual(["x", "y", "a1", "b1", "c1", "a2"]);
});

test("who comes while others wait for room does not overtake them", async () => {
  const { take, giveBack, settle, order } = roomUnderTest();
  await take("a", "a", 50);
  await take("b", "b", 40);
  void take("c", "c", 20);
  void take("d", "d", 5);
  await settle();
  expect(order).toEqual(["a", "b"]);
  await giveBack("a");
  expect(order).toEqual(["a", "b", "c", "d"]);
});

test("a small one of a caller does not overtake its own larger one", async () => {
  const { take, giveBack, settle, order } = roomUnderTest();
  await take("first", "a", 30);
  void take("large", "a", 30);
  void take("small", "a", 10);
  await settle();
  expect(order).toEqual(["first"]);
  await giveBack("first");
  expect(order).toEqual(["first", "large", "small"]);
});

test("a body larger than a caller may have, or than the room, comes in alone", async () => {
  const { take, giveBack, settle, order } = roomUnderTest();
  await take("huge", "a", 1_000);
  void take("next", "a", 1);
  void take("other", "b", 1);
  await settle();
  expect(order).toEqual(["huge"]);
  await giveBack("huge");
  expect(order.slice(1).sort()).toEqual(["next", "other"]);
});

test("what has waited for a second is refused, and what stood behind it comes in", async () => {
  const { take, order } = roomUnderTest();
  await take("a", "a", 50);
  await take("b", "b", 40);
  void take("c", "c", 20);
  await vi.advanceTimersByTimeAsync(1);
  void take("d", "d", 10);
  await vi.advanceTimersByTimeAsync(998);
  expect(order).toEqual(["a", "b"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(order.sort()).toEqual(["a", "b", "c refused", "d"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a caller that goes away while its body waits leaves its place, and one that has gone gets none", async () => {
  const { take, giveBack, settle, order } = roomUnderTest();
  await take("a", "a", 50);
  const leaving = new AbortController();
  void take("gone", "a", 50, leaving.signal);
  void take("last", "a", 50);
  await settle();
  leaving.abort();
  await settle();
  expect(order).toEqual(["a", "gone refused"]);
  await giveBack("a");
  expect(order).toEqual(["a", "gone refused", "last"]);
  expect(await take("late", "b", 1, AbortSignal.abort())).toBe(false);
});

test("nothing is left of what was given back", async () => {
  const { take, giveBack } = roomUnderTest();
  for (let round = 0; round < 10; round += 1) {
    expect(await take("a", "a", 50)).toBe(true);
    expect(await take("b", "b", 50)).toBe(true);
    await giveBack("a");
    await giveBack("b");
  }
});
