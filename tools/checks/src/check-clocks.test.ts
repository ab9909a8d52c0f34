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
  ["a default of a parameter", "const cacheOf = (now = Date.now) => ({ isFresh: () => untilMs > now() });"],
  ["an option that is a clock", "createCache({ now: Date.now });"],
  ["a function that only reads the clock", "createCache(() => Date.now());"],
  ["a name in brackets", 'const tookMs = Date["now"]() - before;'],
  ["a clock taken out of Date", "const { now } = Date;"],
  ["a Date that becomes a number by a sign", "const tookMs = +new Date() - before;"],
  ["a Date that Number converts", "const tookMs = Number(new Date()) - before;"],
  ["the value of a Date", "const tookMs = new Date().valueOf() - before;"],
  ["a Date itself that is subtracted", "const tookMs = new Date() - before;"],
  ["a variable that a later line subtracts", "const nowMs = Date.now(); const tookMs = nowMs - before;"],
  ["a variable that a later line compares", "const nowMs = Date.now(); if (slot.until > nowMs) wait();"],
  ["a Date in a variable that a later line subtracts", "const at = new Date(); const tookMs = at.getTime() - before;"],
  ["a parameter's default that is compared", "const isOver = (until, nowMs = Date.now()) => nowMs > until;"],
  ["a variable that a nested function subtracts", "const t = Date.now(); const took = () => performance.now() - t;"],
  [
    "a duration by the database's clock",
    "const at = clock(); const isOver = clock().getTime() >= at.getTime() + 5_000;",
  ],
  [
    "a start by the database's clock",
    "const startedMs = tools.clock().getTime(); f(() => clock().getTime() - startedMs);",
  ],
])("refuses the machine's clock for %s", (_what, text) => {
  expect(clockProblems("a.ts", text)).toEqual([expect.stringMatching(/^a\.ts:1: measures time by a clock that steps/)]);
});

test.each([
  ["the age of a stored time", "const now = clock(); const ageMs = now.getTime() - run.due_at.getTime();"],
  [
    "a stored time that is compared with the database's clock",
    "if (clock().getTime() > lease.until.getTime()) drop();",
  ],
  ["a time that is rounded to its hour", "const nowMs = clock().getTime(); const hour = nowMs - (nowMs % 3_600_000);"],
  ["the monotonic clock", "const startedAtMs = performance.now();"],
  ["a moment for somebody else", "const expires_at = new Date(Date.now() + 3_600_000).toISOString();"],
  ["seconds since the epoch", "const issuedAt = Math.floor(Date.now() / 1000);"],
  ["a clock that is passed in", "const lastDays = (nowMs = Date.now()) => nowMs;"],
  [
    "a variable that becomes a point in time",
    "const nowMs = Date.now(); save({ expires_at: new Date(nowMs + 1_000) });",
  ],
  ["the next month of a variable", "const now = new Date(); const month = now.getUTCMonth() + 1;"],
  ["the epoch time of the monotonic clock", "const untilMs = performance.timeOrigin + performance.now() + 5_000;"],
  ["seconds of a variable", "const nowMs = Date.now(); const expiry = Math.floor(nowMs / 1000) + 60;"],
  [
    "a variable of the same name in another function",
    "const a = () => { const t = Date.now(); f(t); }; const b = (t) => t - 1;",
  ],
  ["a field of the same name as a variable", "const t = Date.now(); f(t); const d = slot.t - 1;"],
  [
    "a comment at the line that subtracts",
    "const nowMs = Date.now();\n\n\n\n// The expiry is a time of the wall clock.\nif (expiresAtMs < nowMs) drop();",
  ],
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
