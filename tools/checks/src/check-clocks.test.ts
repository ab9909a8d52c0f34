import { expect, test } from "vitest";
import { clockProblems } from "./check-clocks.ts";

test.each([
  ["a duration", "const tookMs = Date.now() - startedAtMs;"],
  ["a wait's end", "const until = Date.now() + waitMs;"],
  ["a wait's condition", "while (Date.now() < until) look();"],
  ["a start that a later line subtracts", "const startedAtMs = Date.now();"],
  ["a field that a later line compares", "class Slot { #heardAtMs = Date.now(); }"],
  ["a deadline", "call({ deadlineMs: Date.now() + 5_000 });"],
  ["a Date that is subtracted", "const ms = new Date().getTime() - before;"],
  ["an assignment", "slot.triedAtMs = Date.now();"],
])("refuses the machine's clock for %s", (_what, text) => {
  expect(clockProblems("a.ts", text)).toEqual([expect.stringMatching(/^a\.ts:1: measures time by a clock that steps/)]);
});

test.each([
  ["the monotonic clock", "const startedAtMs = performance.now();"],
  ["a moment for somebody else", "const expires_at = new Date(Date.now() + 3_600_000).toISOString();"],
  ["seconds since the epoch", "const issuedAt = Math.floor(Date.now() / 1000);"],
  ["a clock that is passed in", "const lastDays = (nowMs = Date.now()) => nowMs;"],
  [
    "a comment that names wall-clock times",
    "// Sign-in times are wall-clock times.\nif (endsAtMs < Date.now()) drop();",
  ],
  [
    "a comment that gives the reason",
    "// The token's expiry is a time of the wall clock.\nif (expiresAtMs < Date.now()) drop();",
  ],
])("permits %s", (_what, text) => {
  expect(clockProblems("a.ts", text)).toEqual([]);
});
