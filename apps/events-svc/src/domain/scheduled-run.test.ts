import { describe, expect, test } from "vitest";
import { type CallOutcome, decideRun } from "./scheduled-run.ts";

const now = new Date("2026-01-01T00:00:00Z");
const answer = (statusCode: number | null, retryAfter: string | null = null): CallOutcome => ({
  statusCode,
  error: null,
  retryAfter,
  response: null,
});
const waitOf = (outcome: CallOutcome, made = 1, random = 0.5): number | string => {
  const verdict = decideRun(outcome, { made, left: 1 }, now, random);
  return verdict.state === "pending" ? (verdict.retryAt.getTime() - now.getTime()) / 1_000 : verdict.state;
};

describe("decideRun", () => {
  test.each([200, 201, 204, 299])("treats a response with status %d as success", (status) =>
    expect(waitOf(answer(status))).toBe("succeeded"),
  );
  test.each([301, 302, 307, 400, 404, 500, 503, 199, null])("retries a run after the status %s", (status) =>
    expect(waitOf(answer(status))).toBe(5),
  );
  test("ends the run after a 410, however many attempts are left", () => expect(waitOf(answer(410))).toBe("failed"));
  test("fails the run after its last attempt", () => {
    expect(decideRun(answer(500), { made: 5, left: 0 }, now).state).toBe("failed");
  });
  test("doubles the wait from 5 s to at most an hour", () => {
    expect([1, 2, 3, 10, 11, 99].map((made) => waitOf(answer(500), made))).toEqual([5, 10, 20, 2560, 3600, 3600]);
  });
  test("varies the wait by a fifth in both directions", () => {
    expect([waitOf(answer(500), 1, 0), waitOf(answer(500), 1, 0.999_999)]).toEqual([4, 6]);
  });
  test("waits for the Retry-After of 429 and 503, up to a day, and ignores that of any other status", () => {
    expect(waitOf(answer(429, "120"), 1, 0)).toBe(120);
    expect(waitOf(answer(503, "Thu, 01 Jan 2026 01:00:00 GMT"), 1, 0)).toBe(3600);
    expect(waitOf(answer(503, "999999"), 1, 1)).toBe(86_400);
    expect(waitOf(answer(500, "120"))).toBe(5);
    expect(waitOf(answer(503, "soon"))).toBe(5);
  });
});
