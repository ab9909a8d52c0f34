import { expect, test } from "vitest";
import { startPollLoop } from "./poll-loop.ts";

const hourMs = 3_600_000;

test("begins the next round immediately when a round has more work", async () => {
  let rounds = 0;
  const third = Promise.withResolvers<void>();
  const loop = startPollLoop({
    round: async () => {
      rounds += 1;
      if (rounds === 3) third.resolve();
      return rounds < 3 ? 0 : hourMs;
    },
    failed: () => hourMs,
  });
  await third.promise;
  await loop.stop();
  expect(rounds).toBe(3);
});

test("waits for the time that the failure handler returns, then runs again", async () => {
  const errors: unknown[] = [];
  const second = Promise.withResolvers<void>();
  let rounds = 0;
  const loop = startPollLoop({
    round: async () => {
      rounds += 1;
      if (rounds === 1) throw new Error("down");
      second.resolve();
      return hourMs;
    },
    failed: (error) => {
      errors.push(error);
      return 1;
    },
  });
  await second.promise;
  await loop.stop();
  expect(errors).toEqual([new Error("down")]);
});

test("starts another round immediately after a wake-up that arrives during a round", async () => {
  const [firstMayEnd, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let rounds = 0;
  const loop = startPollLoop({
    round: async () => {
      rounds += 1;
      if (rounds === 1) await firstMayEnd.promise;
      else second.resolve();
      return hourMs;
    },
    failed: () => hourMs,
  });
  loop.wake();
  firstMayEnd.resolve();
  await second.promise;
  await loop.stop();
  expect(rounds).toBe(2);
});

test("ends the wait between two rounds when it is woken", async () => {
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let rounds = 0;
  const loop = startPollLoop({
    round: async () => {
      begun[rounds]?.resolve();
      rounds += 1;
      return hourMs;
    },
    failed: () => hourMs,
  });
  await begun[0]?.promise;
  // The wait begins in the microtasks after the round.
  await new Promise(setImmediate);
  loop.wake();
  await begun[1]?.promise;
  await loop.stop();
  expect(rounds).toBe(2);
});

test("aborts the current round when the loop stops, and waits until it has ended", async () => {
  const mayEnd = Promise.withResolvers<void>();
  let hasEnded = false;
  const loop = startPollLoop({
    round: async (signal) => {
      signal.addEventListener("abort", () => mayEnd.resolve(), { once: true });
      await mayEnd.promise;
      hasEnded = true;
      return 0;
    },
    failed: () => hourMs,
  });
  await loop.stop();
  expect(hasEnded).toBe(true);
});
