import { describe, expect, test } from "vitest";
import { hasEvidenceOf, statusOf } from "./identity-migration-transaction.ts";
import { normalizePassword, passwordProblem } from "./password-rule.ts";
import { hasEmailVerifiedAfter, type PlatformAccount } from "./platform-account.ts";
import { isRecentlyAuthenticated, isSessionUsable, type PlatformSession } from "./platform-session.ts";

const now = new Date("2027-01-31T09:00:00.000Z");
const at = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

describe("passwords", () => {
  test.each([
    ["1234567", "too_short"],
    ["🔑".repeat(7), "too_short"],
    ["🔑".repeat(8), null],
    ["x".repeat(256), null],
    ["x".repeat(257), "too_long"],
    ["Person.Name", "is_address"],
    ["PERSON.name@example.com", "is_address"],
  ])("checks the password %s and returns the problem %s", (password, problem) => {
    expect(passwordProblem(password, "person.name@example.com")).toBe(problem);
  });

  test("treats passwords in different Unicode forms as equal", () => {
    expect(normalizePassword("ｐａｓｓ")).toBe("pass");
  });
});

describe("sessions", () => {
  const session: PlatformSession = {
    id: "s",
    account_id: "a",
    created_at: now,
    authenticated_at: now,
    last_seen_at: now,
    expires_at: at(7 * 86_400),
    revoked_at: null,
  };

  test("ends a session after 12 idle hours, after 7 days, and when it is revoked", () => {
    expect(isSessionUsable(session, at(12 * 3600 - 1))).toBe(true);
    expect(isSessionUsable(session, at(12 * 3600))).toBe(false);
    const busy = { ...session, last_seen_at: at(7 * 86_400 - 1) };
    expect(isSessionUsable(busy, at(7 * 86_400 - 1))).toBe(true);
    expect(isSessionUsable(busy, at(7 * 86_400))).toBe(false);
    expect(isSessionUsable({ ...session, revoked_at: now }, now)).toBe(false);
  });

  test("treats an authentication as recent for ten minutes, and one in the future as not recent", () => {
    expect(isRecentlyAuthenticated(session, at(600), 600)).toBe(true);
    expect(isRecentlyAuthenticated(session, at(601), 600)).toBe(false);
    expect(isRecentlyAuthenticated(session, at(-1), 600)).toBe(false);
  });
});

describe("proof of an address", () => {
  const account = (verified_at: Date | null): PlatformAccount => ({
    id: "a",
    login_identifiers: [{ email: "a@b.example", verified_at }],
    created_at: now,
    unproven_until: null,
    sessions_ended_at: null,
    disabled_at: null,
  });

  test("accepts only an address that was verified after the transaction was created", () => {
    expect(hasEmailVerifiedAfter(account(at(1)), now)).toBe(true);
    expect(hasEmailVerifiedAfter(account(now), now)).toBe(false);
    expect(hasEmailVerifiedAfter(account(at(-1)), now)).toBe(false);
    expect(hasEmailVerifiedAfter(account(null), now)).toBe(false);
  });

  test("accepts evidence only for the account for which it was recorded", () => {
    const transaction = { evidence: [{ account_id: "a", email: "a@b.example", at: now }] };
    expect(hasEvidenceOf(transaction, "a")).toBe(true);
    expect(hasEvidenceOf(transaction, "b")).toBe(false);
  });
});

test("expires a transaction at its expires_at, unless it is completed", () => {
  const expires_at = now;
  expect(statusOf({ state: "pending", expires_at }, at(-1))).toBe("pending");
  expect(statusOf({ state: "pending", expires_at }, now)).toBe("expired");
  expect(statusOf({ state: "link_pending", expires_at }, now)).toBe("expired");
  expect(statusOf({ state: "completed", expires_at }, at(1))).toBe("completed");
});
