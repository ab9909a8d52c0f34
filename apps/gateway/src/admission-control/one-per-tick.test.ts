import { expect, test } from "vitest";
import { createOnePerTick } from "./one-per-tick.ts";

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("releases one waiter per event-loop tick, in order", async () => {
  const onePerTick = createOnePerTick();
  const went: number[] = [];
  for (let index = 0; index < 5; index += 1) void onePerTick().then(() => went.push(index));
  expect(went).toEqual([]);
  for (let ticks = 1; ticks <= 5; ticks += 1) {
    await tick();
    expect(went).toEqual(Array.from({ length: ticks }, (_, index) => index));
  }
});

test("starts again after an idle time", async () => {
  const onePerTick = createOnePerTick();
  await onePerTick();
  await tick();
  let went = 0;
  void onePerTick().then(() => (went += 1));
  void onePerTick().then(() => (went += 1));
  await tick();
  expect(went).toBe(1);
  await tick();
  expect(went).toBe(2);
});
