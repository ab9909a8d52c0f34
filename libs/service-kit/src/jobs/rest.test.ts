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
  const first = rest(never);
  wake();
  await first;
  const second = Promise.race([rest(never).then(() => "over"), Promise.resolve("still resting")]);
  expect(await second).toBe("still resting");
  wake();
});

test("a stopped loop neither goes on resting nor rests again", async () => {
  const stopping = new AbortController();
  const { rest } = createRest(stopping.signal);
  const resting = rest(never);
  stopping.abort();
  await resting;
  await rest(never);
});
