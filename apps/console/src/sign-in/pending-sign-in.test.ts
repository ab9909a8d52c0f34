import { randomBytes } from "node:crypto";
import { seal } from "@platform/kit/process/secrets";
import { expect, it } from "vitest";
import { createPendingSignIns, pendingSignInSeconds } from "./pending-sign-in.ts";

const keyring = { current: randomBytes(32), previous: [] };
const pending = { state: "s".repeat(43), nonce: "n".repeat(43), verifier: "v".repeat(43), to: `/${"a".repeat(511)}` };

it("decrypts a pending sign-in until ten minutes have passed, and not one second later", () => {
  let nowMs = 0;
  const signIns = createPendingSignIns(keyring, () => nowMs);
  const sealed = signIns.seal(pending);
  expect(sealed.length).toBeLessThanOrEqual(2_048);
  nowMs = pendingSignInSeconds * 1000 - 1;
  expect(signIns.open(sealed)).toEqual(pending);
  nowMs += 1;
  expect(signIns.open(sealed)).toBeNull();
});

it("hides the verifier from someone who reads the cookie", () => {
  const sealed = createPendingSignIns(keyring).seal(pending);
  expect(Buffer.from(sealed.split(".")[1] ?? "", "base64").toString("latin1")).not.toContain(pending.verifier);
});

it("decrypts a sign-in that was started before the key was rotated", () => {
  const sealed = createPendingSignIns(keyring).seal(pending);
  const rotated = { current: randomBytes(32), previous: [keyring.current] };
  expect(createPendingSignIns(rotated).open(sealed)).toEqual(pending);
});

const forged: readonly [string, (sealed: string) => string][] = [
  ["altered by one character", (sealed) => sealed.replace(/.(?=.{40}$)/, (char) => (char === "A" ? "B" : "A"))],
  ["cut short", (sealed) => sealed.slice(0, -8)],
  ["sealed for another purpose", () => seal(keyring, "console session", JSON.stringify({ ...pending, untilMs: 9e15 }))],
  ["sealed with another key", () => createPendingSignIns({ current: randomBytes(32), previous: [] }).seal(pending)],
  ["without a seal", () => JSON.stringify({ ...pending, untilMs: 9e15 })],
  ["that is empty", () => ""],
];
it.each(forged)("refuses a forged cookie: %s", (_what, forge) => {
  const signIns = createPendingSignIns(keyring);
  expect(signIns.open(forge(signIns.seal(pending)))).toBeNull();
});
