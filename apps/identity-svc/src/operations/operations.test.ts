import { hashToken } from "@platform/kit/process/secrets";
import { describe, expect, test } from "vitest";
import { codeHmac, codeMatches, currentToken, recoverCode, recoverToken, verificationCode } from "./derived-tokens.ts";
import { createPasswords } from "./passwords.ts";

const oldKey = new Uint8Array(32).fill(1);
const newKey = new Uint8Array(32).fill(2);
const before = { current: oldKey, previous: [] };
const after = { current: newKey, previous: [oldKey] };

describe("derived tokens", () => {
  test("recovers derived tokens after a key rotation, until the old key is removed", () => {
    const token = currentToken(before, "identity-migration.flow-token", "id");
    expect(recoverToken(after, "identity-migration.flow-token", "id", hashToken(token))).toBe(token);
    const dropped = { current: newKey, previous: [] };
    expect(() => recoverToken(dropped, "identity-migration.flow-token", "id", hashToken(token))).toThrow();
  });

  test("refuses a derived token of another purpose or id", () => {
    const tokens = [
      currentToken(before, "identity-migration.flow-token", "id"),
      currentToken(before, "identity-migration.continuation-token", "id"),
      currentToken(before, "email-verification.link-token", "id"),
      currentToken(before, "identity-migration.flow-token", "other"),
    ];
    expect(new Set(tokens).size).toBe(4);
  });

  test("accepts a six-digit code only for its own verification, even after a key rotation", () => {
    const code = verificationCode(oldKey, "v");
    expect(code).toMatch(/^\d{6}$/);
    const stored = codeHmac(oldKey, "v", code);
    expect(codeMatches(after, "v", code, stored)).toBe(true);
    expect(recoverCode(after, "v", stored)).toBe(code);
    expect(codeMatches(after, "w", code, stored)).toBe(false);
    expect(codeMatches(after, "v", "", stored)).toBe(false);
  });
});

test("hashes passwords with argon2id and 19 MiB, and verifies no password of an account that does not exist", async () => {
  const passwords = await createPasswords();
  const stored = await passwords.hash("ｐass word");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,(?:p=1,t=2|t=2,p=1)\$/);
  expect(await passwords.verify("pass word", stored)).toBe(true);
  expect(await passwords.verify("Pass word", stored)).toBe(false);
  expect(await passwords.verify("no account has this password", null)).toBe(false);
});

test("hashes 4 passwords concurrently, queues more up to the maximum, and rejects any beyond it", async () => {
  const passwords = await createPasswords(2);
  const accepted = Array.from({ length: 6 }, () => passwords.hash("pass word"));
  await expect(passwords.hash("pass word")).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect(new Set(await Promise.all(accepted)).size).toBe(6);
  expect(await passwords.hash("pass word")).toMatch(/^\$argon2id/);
});
