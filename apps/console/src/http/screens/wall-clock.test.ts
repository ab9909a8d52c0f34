import { expect, test } from "vitest";
import { wallClock } from "./wall-clock.ts";

test("shows the same instant in a zone and in UTC", () => {
  const at = new Date("2026-11-26T18:30:00Z");
  expect(wallClock(at, "Asia/Tokyo")).toBe("Fri 2026-11-27 03:30 GMT+9");
  expect(wallClock(at, "UTC")).toBe("Thu 2026-11-26 18:30");
});

test("distinguishes the two occurrences of an hour that is repeated", () => {
  expect(wallClock(new Date("2026-10-25T00:30:00Z"), "Europe/Berlin")).toBe("Sun 2026-10-25 02:30 GMT+2");
  expect(wallClock(new Date("2026-10-25T01:30:00Z"), "Europe/Berlin")).toBe("Sun 2026-10-25 02:30 GMT+1");
});

test("shows midnight as hour 00 of the day", () => {
  expect(wallClock(new Date("2026-01-01T00:00:00Z"), "UTC")).toBe("Thu 2026-01-01 00:00");
});

test("returns null for a name that is not a time zone", () => {
  expect(wallClock(new Date(0), "Mars/Base")).toBeNull();
});
