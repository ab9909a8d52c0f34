import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTrickle } from "./trickle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first answers of a beat leave at once, the rest in order at the pace of the beats", async () => {
  const trickle = createTrickle(() => 10);
  const left: number[] = [];
  for (let index = 0; index < 35; index += 1) {
    const turn = trickle.turn();
    if (turn === null) left.push(index);
    else void turn.then(() => left.push(index));
  }
  expect(left).toHaveLength(10);
  await vi.advanceTimersByTimeAsync(5);
  expect(left).toHaveLength(20);
  await vi.advanceTimersByTimeAsync(10);
  expect(left).toEqual(Array.from({ length: 35 }, (_, index) => index));
});

test("after a pause answers leave at once again", async () => {
  const trickle = createTrickle(() => 1);
  expect(trickle.turn()).toBeNull();
  expect(trickle.turn()).not.toBeNull();
  await vi.advanceTimersByTimeAsync(20);
  expect(trickle.turn()).toBeNull();
  await vi.advanceTimersByTimeAsync(20);
  expect(vi.getTimerCount()).toBe(0);
});

test("more may leave at once where that is allowed, and not one past it", async () => {
  const trickle = createTrickle(() => 10, 30);
  const turns = Array.from({ length: 31 }, () => trickle.turn());
  expect(turns.filter((turn) => turn === null)).toHaveLength(30);
  expect(turns.at(-1)).not.toBeNull();
  await vi.advanceTimersByTimeAsync(5);
  await turns.at(-1);
});
