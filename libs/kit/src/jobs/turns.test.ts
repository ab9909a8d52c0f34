import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTurns, type EndTurn } from "./turns.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const callsMax = 4;

/** Takes a turn that is free. */
async function takeNow(turns: ReturnType<typeof createTurns>, key = "a"): Promise<EndTurn> {
  const end = await turns.take(key);
  if (end === null) throw new Error("no turn was free");
  return end;
}

test("gives four items of a target their turn, and the fifth when one of them ends", async () => {
  const turns = createTurns(() => callsMax);
  const [first, second] = [await takeNow(turns), await takeNow(turns), await takeNow(turns), await takeNow(turns)];
  const begun: string[] = [];
  const fifth = turns.take("a").then(() => begun.push("fifth"));
  const sixth = turns.take("a").then(() => begun.push("sixth"));
  await takeNow(turns, "another target");
  expect(begun).toEqual([]);
  first?.();
  first?.();
  await fifth;
  expect(begun).toEqual(["fifth"]);
  second?.();
  await sixth;
  expect(begun).toEqual(["fifth", "sixth"]);
});

test("gives up waiting for a turn after a second, so that the turn is free for the next item", async () => {
  const turns = createTurns(() => 1);
  const end = await takeNow(turns);
  let given: EndTurn | null | undefined;
  const waited = turns.take("a").then((turn) => {
    given = turn;
  });
  await vi.advanceTimersByTimeAsync(999);
  expect(given).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await waited;
  expect(given).toBeNull();
  end();
  await takeNow(turns);
});

test("claims as many items ahead as are called, after a turn of 500 ms and not after one of 501", async () => {
  const turns = createTurns(() => callsMax);
  const [first, second, third] = [await takeNow(turns), await takeNow(turns), await takeNow(turns)];
  expect(turns.aheadOf("a")).toBe(0);
  vi.advanceTimersByTime(500);
  first();
  expect([turns.aheadOf("a"), turns.aheadOf("another target")]).toEqual([callsMax, 0]);
  vi.advanceTimersByTime(1);
  second();
  expect(turns.aheadOf("a")).toBe(0);
  third();
});

test("claims items ahead for a second after a quick turn, also while no call is in progress", async () => {
  const turns = createTurns(() => callsMax);
  (await takeNow(turns))();
  vi.advanceTimersByTime(999);
  expect(turns.aheadOf("a")).toBe(callsMax);
  vi.advanceTimersByTime(1);
  expect(turns.aheadOf("a")).toBe(0);
});

test("claims no items ahead once one has waited in vain for its turn, although the last turn was quick", async () => {
  const turns = createTurns(() => 2);
  const [quick] = [await takeNow(turns), await takeNow(turns)];
  const silent = turns.take("a");
  const waiting = turns.take("a");
  await vi.advanceTimersByTimeAsync(400);
  quick();
  await silent;
  expect(turns.aheadOf("a")).toBe(2);
  await vi.advanceTimersByTimeAsync(600);
  expect(await waiting).toBeNull();
  expect(turns.aheadOf("a")).toBe(0);
});

test("claims three times as many items ahead as are called, if told so", async () => {
  const turns = createTurns(() => callsMax, 3);
  (await takeNow(turns))();
  expect(turns.aheadOf("a")).toBe(3 * callsMax);
});
