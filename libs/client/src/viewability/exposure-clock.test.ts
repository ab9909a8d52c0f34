import { describe, expect, test } from "vitest";
import { exposureClock } from "./exposure-clock.ts";

describe("an exposure", () => {
  test.each([
    ["display", 0.5, 1_000],
    ["display_large", 0.3, 1_000],
    ["video", 0.5, 2_000],
  ] as const)("starts an exposure of a %s ad at its share and ends it after its time", (format, share, durationMs) => {
    const clock = exposureClock(format);
    clock.see(share - 0.01, 0);
    expect(clock.dueAtMs()).toBeNull();
    clock.see(share, 100);
    expect(clock.dueAtMs()).toBe(100 + durationMs);
  });

  test("ends an exposure when too little is in view, and starts the next from zero", () => {
    const clock = exposureClock("display");
    clock.see(1, 0);
    clock.see(0.49, 999);
    expect(clock.exposure(5_000)).toBeNull();
    clock.see(0.6, 2_000);
    expect(clock.dueAtMs()).toBe(3_000);
  });

  test("reports the least share that was in view throughout", () => {
    const clock = exposureClock("display");
    for (const [ratio, atMs] of [
      [0.9, 0],
      [0.55, 400],
      [1, 800],
    ] as const) {
      clock.see(ratio, atMs);
    }
    expect(clock.exposure(1_000)).toEqual({ leastRatio: 0.55, durationMs: 1_000 });
  });
});
