import { expect, it } from "vitest";
import { readInteger, readTime } from "./options.ts";
import { UsageError } from "./usage-error.ts";

const nowMs = Date.parse("2026-11-24T12:00:00Z");

it("reads a duration as a time before now", () => {
  expect(readTime("--since", "2h", nowMs)).toEqual(new Date("2026-11-24T10:00:00Z"));
  expect(readTime("--since", "7d", nowMs)).toEqual(new Date("2026-11-17T12:00:00Z"));
});

it("reads an RFC 3339 time with any offset", () => {
  expect(readTime("--since", "2026-11-24T09:00:00+09:00", nowMs)).toEqual(new Date("2026-11-24T00:00:00Z"));
});

it.each(["", "2", "h", "2w", "-2h", "2026-11-24", "2026-11-24T09:00:00", "2026-13-24T09:00:00Z", "yesterday"])(
  "refuses %j as a time and names the option",
  (text) => {
    expect(() => readTime("--since", text, nowMs)).toThrow(UsageError);
    expect(() => readTime("--since", text, nowMs)).toThrow(/^--since takes/);
  },
);

it.each(["0", "201", "1.5", "-1", "1e2", "", "99999999999999999999"])("refuses %j as a limit of 1 to 200", (text) => {
  expect(() => readInteger("--limit", text, 1, 200)).toThrow(UsageError);
});

it("accepts both ends of the range of a number", () => {
  expect([readInteger("--limit", "1", 1, 200), readInteger("--limit", "200", 1, 200)]).toEqual([1, 200]);
});
