import { describe, expect, it } from "vitest";
import { type AdFormat, checkVisibility } from "./viewability.ts";

const issuedAt = new Date("2026-03-01T00:00:00.000Z");
const later = (ms: number): Date => new Date(issuedAt.getTime() + ms);
const check = (format: AdFormat, ratioBasisPoints: number, durationMs: number, now = later(60_000)) =>
  checkVisibility(format, { ratioBasisPoints, durationMs }, issuedAt, now)?.reason ?? "viewable";

describe("checkVisibility", () => {
  it.each<[AdFormat, number, number]>([
    ["display", 5000, 1000],
    ["display_large", 3000, 1000],
    ["video", 5000, 2000],
  ])(
    "accepts %s at exactly %i basis points for %i ms, and refuses one basis point or one millisecond less",
    (format, ratio, durationMs) => {
      expect(check(format, ratio, durationMs)).toBe("viewable");
      expect(check(format, ratio - 1, durationMs)).toBe("below_threshold");
      expect(check(format, ratio, durationMs - 1)).toBe("below_threshold");
      expect(check(format, 10_000, 3_600_000, later(3_600_000))).toBe("viewable");
      expect(check(format, 0, 0)).toBe("below_threshold");
    },
  );

  it("refuses a duration longer than the time since the decision plus 5 s", () => {
    expect(check("display", 10_000, 5_000, issuedAt)).toBe("viewable");
    expect(check("display", 10_000, 5_001, issuedAt)).toBe("impossible_duration");
    expect(check("display", 10_000, 15_000, later(10_000))).toBe("viewable");
    expect(check("display", 10_000, 15_001, later(10_000))).toBe("impossible_duration");
  });
});
