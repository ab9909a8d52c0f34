import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { createInterruptibleSleep } from "./interruptible-sleep.ts";

/** This sleep is longer than any test may take, so if it ends within a test, it was interrupted. */
const never = 600_000;

test("ends an interruptible sleep when its time is over", async () => {
  await createInterruptibleSleep().sleep(1);
});

test("ends the current interruptible sleep and no later one", async () => {
  const { sleep, wake } = createInterruptibleSleep();
  wake();
  let isOver = false;
  const sleeping = sleep(never).then(() => {
    isOver = true;
  });
  await turnOfTheLoop();
  expect(isOver).toBe(false);
  wake();
  await sleeping;
});

test("ends the current sleep and every later one immediately once the loop is stopped", async () => {
  const stopping = new AbortController();
  const { sleep } = createInterruptibleSleep(stopping.signal);
  const sleeping = sleep(never);
  stopping.abort();
  await sleeping;
  await sleep(never);
});
