import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRest } from "./rest.ts";

/** Longer than any test may take: what resolves did not wait for it. */
const never = 600_000;

test("ends an interruptible sleep when its time is over", async () => {
  await createRest().rest(1);
});

test("ends the current interruptible sleep and no later one", async () => {
  const { rest, wake } = createRest();
  wake();
  let isOver = false;
  const resting = rest(never).then(() => {
    isOver = true;
  });
  await turnOfTheLoop();
  expect(isOver).toBe(false);
  wake();
  await resting;
});

test("ends the sleep of a stopped loop and starts no other", async () => {
  const stopping = new AbortController();
  const { rest } = createRest(stopping.signal);
  const resting = rest(never);
  stopping.abort();
  await resting;
  await rest(never);
});
