import { describe, expect, test } from "vitest";
import { type HostedSituation, nextStep } from "./hosted-step.ts";

const signedIn = { accountId: "a", isRecent: true };
const start: HostedSituation = { status: "pending", linkedAccountId: null, session: null, isEmailProven: false };

describe("the next step", () => {
  test.each<[string, Partial<HostedSituation>, string]>([
    ["nobody is signed in", {}, "sign-in"],
    [
      "the sign-in is old, whatever else is done",
      { session: { accountId: "a", isRecent: false }, isEmailProven: true },
      "reauthenticate",
    ],
    ["the address is not proven", { session: signedIn }, "verify-email"],
    ["the address is proven", { session: signedIn, isEmailProven: true }, "confirm"],
    ["the account is linked already", { session: signedIn, linkedAccountId: "a", status: "link_pending" }, "confirm"],
    [
      "another account is linked",
      { session: signedIn, isEmailProven: true, linkedAccountId: "b", status: "link_pending" },
      "linked-elsewhere",
    ],
    [
      "another account is linked, to someone not recent",
      { session: { accountId: "a", isRecent: false }, linkedAccountId: "b" },
      "linked-elsewhere",
    ],
    ["the transaction has expired", { session: signedIn, isEmailProven: true, status: "expired" }, "expired"],
    ["it was completed by this account", { session: signedIn, linkedAccountId: "a", status: "completed" }, "confirm"],
  ])("chooses the next step when %s", (_when, situation, step) => {
    expect(nextStep({ ...start, ...situation })).toBe(step);
  });

  test("never offers confirm without a recent session of the linked or proven account", () => {
    for (const status of ["pending", "link_pending", "completed", "expired"] as const)
      for (const linkedAccountId of [null, "a", "b"])
        for (const session of [null, signedIn, { accountId: "a", isRecent: false }])
          for (const isEmailProven of [false, true]) {
            if (nextStep({ status, linkedAccountId, session, isEmailProven }) !== "confirm") continue;
            expect(session?.isRecent).toBe(true);
            expect(status).not.toBe("expired");
            expect(isEmailProven || linkedAccountId === session?.accountId).toBe(true);
            expect(linkedAccountId === null || linkedAccountId === session?.accountId).toBe(true);
          }
  });
});
