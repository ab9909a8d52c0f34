import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const nowMs = Date.parse("2026-01-01T00:00:00Z");

test.each([
  [null, null],
  [undefined, null],
  ["0", null],
  ["-5", null],
  ["1.5", null],
  ["Wed, 31 Dec 2025 23:00:00 GMT", null],
  [" 3 ", 3_000],
  [["4", "5"], 4_000],
  ["Thu, 01 Jan 2026 01:00:00 GMT", 3_600_000],
])("reads %s as %s", (header, ms) => expect(retryAfterMs(header, nowMs)).toBe(ms));
