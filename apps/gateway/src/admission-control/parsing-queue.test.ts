import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createParsingQueue } from "./parsing-queue.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const waitMs = 2_000;

/**
 * Creates a queue whose bodies take a given time of a test clock, and records the order in which they are parsed or
 * rejected.
 */
function queueUnderTest({ isShared = true } = {}) {
  let parsedMs = 0;
  const queue = createParsingQueue({ isShared: () => isShared, waitMs, now: () => performance.now() + parsedMs });
  const order: string[] = [];
  let parsing = Promise.resolve();
  /** Blocks bodies that start from now on until the returned function is called. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    parsing = promise;
    return resolve;
  };
  const send = (name: string, ms: number, signal = never): void => {
    const work = async (): Promise<void> => {
      order.push(name);
      await parsing;
      parsedMs += ms;
    };
    const [caller = ""] = name.split(" ");
    void queue.run(caller, work, signal).then((done) => done || order.push(`${name} refused`));
  };
  return { queue, order, send, hold };
}

const tick = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1);

test("processes the bodies of a single caller one at a time, in order", async () => {
  const { order, send, hold } = queueUnderTest({ isShared: false });
  const release = hold();
  for (const index of [1, 2, 3]) send(`a ${index}`, 100);
  await tick();
  expect(order).toEqual(["a 1"]);
  release();
  await tick();
  expect(order).toEqual(["a 1", "a 2", "a 3"]);
});

test("does not start to parse a caller's body while another one of that caller is being parsed", async () => {
  const { order, send, hold } = queueUnderTest();
  const release = hold();
  send("a 1", 100);
  await tick();
  send("b 1", 1);
  await vi.advanceTimersByTimeAsync(500);
  expect(order).toEqual(["a 1"]);
  release();
  await tick();
  expect(order).toEqual(["a 1", "b 1"]);
});

test("parses the next body immediately after idle time", async () => {
  const { order, send } = queueUnderTest();
  send("a 1", 1);
  await vi.advanceTimersByTimeAsync(1_000);
  send("a 2", 1);
  await tick();
  expect(order).toEqual(["a 1", "a 2"]);
});

test("delays a caller by five times the cost of its body while other callers share the queue", async () => {
  const { order, send } = queueUnderTest();
  send("a 1", 100);
  send("a 2", 100);
  await vi.advanceTimersByTimeAsync(499);
  expect(order).toEqual(["a 1"]);
  await vi.advanceTimersByTimeAsync(2);
  expect(order).toEqual(["a 1", "a 2"]);
});

test("does not delay a caller of small bodies because of another one's large bodies (CWE-400)", async () => {
  const { order, send } = queueUnderTest();
  for (const index of [1, 2, 3]) send(`heavy ${index}`, 100);
  await tick();
  send("light 1", 1);
  await tick();
  expect(order).toEqual(["heavy 1", "light 1"]);
  await vi.advanceTimersByTimeAsync(10);
  send("light 2", 1);
  await tick();
  expect(order).toEqual(["heavy 1", "light 1", "light 2"]);
});

test("delays several callers of large bodies longer, so that together they use as much time as a single one", async () => {
  const { order, send } = queueUnderTest();
  for (const index of [1, 2]) for (const caller of ["a", "b"]) send(`${caller} ${index}`, 100);
  // The first body ends at 100 ms, and its caller then pauses for 1,000 ms, of which 100 ms have passed when the second
  // body ends.
  await vi.advanceTimersByTimeAsync(899);
  expect(order).toEqual(["a 1", "b 1"]);
  await vi.advanceTimersByTimeAsync(3);
  expect(order).toEqual(["a 1", "b 1", "a 2", "b 2"]);
});

test("accepts a body that waits slightly less than the limit, and rejects one that waits longer", async () => {
  const { order, send } = queueUnderTest();
  for (const index of [1, 2, 3]) send(`a ${index}`, 360);
  await vi.advanceTimersByTimeAsync(waitMs - 1);
  expect(order).toEqual(["a 1", "a 2"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(order).toEqual(["a 1", "a 2", "a 3 refused"]);
});

test("never pauses a caller for longer than a body may wait, so that consecutive bodies are not rejected", async () => {
  const { order, send } = queueUnderTest();
  send("a 1", 60_000);
  await vi.advanceTimersByTimeAsync(1);
  send("a 2", 1);
  await vi.advanceTimersByTimeAsync(waitMs);
  expect(order).toEqual(["a 1", "a 2"]);
});

test("does not parse a body whose sender disconnects while it waits", async () => {
  const { order, send, hold } = queueUnderTest();
  const release = hold();
  const gone = new AbortController();
  send("a 1", 1);
  send("b 1", 1, gone.signal);
  gone.abort();
  release();
  await tick();
  expect(order).toEqual(["a 1", "b 1 refused"]);
});

test("rejects with the error of the work, charges its cost, and continues", async () => {
  const { queue, order, send } = queueUnderTest();
  const failed = queue.run("a", async () => void JSON.parse("{"), never);
  send("b 1", 1);
  await Promise.all([expect(failed).rejects.toThrow(SyntaxError), tick()]);
  expect(order).toEqual(["b 1"]);
});
