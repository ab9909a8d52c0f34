import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRest } from "./rest.ts";

/** Longer than any test may take: what resolves did not wait for it. */
const never = 600_000;

test("a rest ends when its time is over", async () => {
  await createRest().rest(1);
});

test("waking ends the rest that is going on, and none that comes later", async () => {
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

test("a stopped loop neither goes on resting nor rests again", async () => {
  const stopping = new AbortController();
  const { rest } = createRest(stopping.signal);
  const resting = rest(never);
  stopping.abort();
  await resting;
  await rest(never);
});
