import { expect, test } from "vitest";
import { createSourceLimit } from "./source-limit.ts";

test("limits each source in a window, and tells when the next window starts", () => {
  let nowMs = 0;
  const limit = createSourceLimit({ perSource: 2, now: () => nowMs });
  expect([limit("a"), limit("a")]).toEqual([null, null]);
  nowMs = 20_000;
  expect(limit("a")).toBe(40);
  expect(limit("b")).toBeNull();
  nowMs = 59_999;
  expect(limit("a")).toBe(1);
  nowMs = 60_000;
  expect(limit("a")).toBeNull();
});

test("limits all sources together, so that a caller with many networks is stopped too", () => {
  let nowMs = 0;
  const limit = createSourceLimit({ perSource: 2, inAll: 5, now: () => nowMs });
  const outcomes = Array.from({ length: 8 }, (_, index) => limit(`source ${index}`));
  expect(outcomes).toEqual([null, null, null, null, null, 60, 60, 60]);
  nowMs = 60_000;
  expect(limit("source 9")).toBeNull();
});

test("does not count what it rejects for one source against the others", () => {
  const limit = createSourceLimit({ perSource: 1, inAll: 3 });
  for (let sent = 0; sent < 10; sent += 1) limit("loud");
  expect([limit("a"), limit("b")]).toEqual([null, null]);
});

test("forgets the source that was counted the longest time ago", () => {
  const limit = createSourceLimit({ perSource: 1, sourcesMax: 2 });
  for (const source of ["a", "b", "c"]) expect(limit(source)).toBeNull();
  expect(limit("c")).toBeGreaterThan(0);
  expect(limit("a")).toBeNull();
});
