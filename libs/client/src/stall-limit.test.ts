import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createStallLimit } from "./stall-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("does not abort an upload that takes an hour but makes progress", () => {
  const { signal, touch } = createStallLimit(30_000);
  for (let ms = 0; ms < 3_600_000; ms += 29_999) {
    vi.advanceTimersByTime(29_999);
    touch();
  }
  expect(signal.aborted).toBe(false);
});

test("aborts after a given time without progress", () => {
  const { signal, touch } = createStallLimit(30_000);
  vi.advanceTimersByTime(20_000);
  touch();
  vi.advanceTimersByTime(29_999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("waits after the last byte as long as a slow line needs to drain its buffers", () => {
  const { signal, sentAll } = createStallLimit(30_000);
  sentAll(6 * 1024 * 1024);
  vi.advanceTimersByTime(30_000 + 96_000 - 1);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.aborted).toBe(true);
});

test("waits for at most 16 MiB of buffered data, and not at all once it was stopped", () => {
  const { signal, sentAll, stop } = createStallLimit(30_000);
  sentAll(1024 ** 3);
  vi.advanceTimersByTime(30_000 + 256_000 - 1);
  expect(signal.aborted).toBe(false);
  stop();
  vi.advanceTimersByTime(1_000_000);
  expect(signal.aborted).toBe(false);
});
