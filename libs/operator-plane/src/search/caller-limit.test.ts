import { expect, test } from "vitest";
import { createCallerLimit, createCallerQueue } from "./caller-limit.ts";

const never = new AbortController().signal;
const refused = { code: "too_many_concurrent_calls" };

test("rejects the third call of a caller with two permits, and accepts it once one has ended", () => {
  const limit = createCallerLimit(2, "streams");
  const release = limit.enter("a");
  limit.enter("a");
  expect(() => limit.enter("a")).toThrow(expect.objectContaining(refused));
  limit.enter("b");
  release();
  limit.enter("a");
});

test("runs 16 concurrent searches of one person one by one, and refuses those for which the queue has no place", async () => {
  const queue = createCallerQueue(3, "searches");
  let running = 0;
  const work = async (): Promise<string> => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return "done";
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => queue.run("a", never, work)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
  expect(outcomes.find((outcome) => outcome.status === "rejected")?.reason).toMatchObject(refused);
  expect(await queue.run("a", never, work)).toBe("done");
});

test("does not delay the search of another person, and continues after a search that failed", async () => {
  const queue = createCallerQueue(3, "searches");
  const stuck = Promise.withResolvers<void>();
  const first = queue.run("a", never, () => stuck.promise);
  expect(await queue.run("b", never, async () => "b")).toBe("b");
  const second = queue.run("a", never, async () => "second");
  stuck.reject(new Error("failed"));
  await expect(first).rejects.toThrow("failed");
  expect(await second).toBe("second");
});

test("does not start a search whose caller has disconnected while it was waiting", async () => {
  const queue = createCallerQueue(3, "searches");
  const first = Promise.withResolvers<void>();
  const running = queue.run("a", never, () => first.promise);
  const leaving = new AbortController();
  let hasBegun = false;
  const waiting = queue.run("a", leaving.signal, async () => {
    hasBegun = true;
  });
  leaving.abort(new Error("left"));
  first.resolve();
  await running;
  await expect(waiting).rejects.toThrow("left");
  expect(hasBegun).toBe(false);
});
