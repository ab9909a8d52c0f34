import { describe, expect, it } from "vitest";
import {
  consentsOf,
  type DeliveryEndpoint,
  failVerification,
  newVerification,
  reregisterChannel,
  reregisterEmail,
  revoke,
  setConsent,
  verify,
} from "./endpoint.ts";

const now = new Date("2026-01-01T00:00:00Z");
const later = (ms: number): Date => new Date(now.getTime() + ms);
const pending: DeliveryEndpoint = {
  id: "e",
  projectClientId: "c",
  environment: "development",
  channel: "fcm",
  address: "token",
  status: "pending",
  verification: newVerification("hash1", 1, now),
  ownershipGeneration: 1,
  verifiedAt: null,
  grantedPurposes: [],
  withdrawnPurposes: [],
  lastErrorCode: null,
  pushDueAt: null,
  resubscription: null,
  suppression: null,
  version: 1,
  createdAt: now,
};
const right = (hash: string): boolean => hash === "hash1";
const wrong = (): boolean => false;
const next = (change: { next: DeliveryEndpoint | null }): DeliveryEndpoint => {
  if (change.next === null) throw new Error("expected a change");
  return change.next;
};
const tryWrongly = (endpoint: DeliveryEndpoint, times: number): DeliveryEndpoint => {
  let current = endpoint;
  for (let time = 0; time < times; time += 1) current = next(verify(current, wrong, now));
  return current;
};

describe("verify", () => {
  it("accepts the right verification token only once", () => {
    const verified = next(verify(pending, right, later(1)));
    expect(verified).toMatchObject({ status: "verified", verifiedAt: later(1) });
    expect(verify(verified, right, later(2))).toEqual({ next: null, failure: "verification_token_invalid" });
  });

  it("refuses the right verification token after 24 hours", () => {
    expect(verify(pending, right, later(86_400_000)).failure).toBe("verification_token_expired");
    expect(verify(pending, right, later(86_399_999)).failure).toBeNull();
  });

  it("rejects the fifth wrong attempt as wrong, and every later one as locked, even with the right token", () => {
    const four = tryWrongly(pending, 4);
    expect(four.status).toBe("pending");
    const fifth = verify(four, wrong, now);
    expect(fifth).toMatchObject({ failure: "verification_token_invalid", next: { status: "verification_locked" } });
    expect(verify(next(fifth), right, now)).toEqual({ next: null, failure: "verification_locked" });
  });

  it("locks an email endpoint by the number of wrong attempts, because email has no locked status", () => {
    const locked = tryWrongly({ ...pending, channel: "email" }, 5);
    expect(locked.status).toBe("pending");
    expect(verify(locked, right, now).failure).toBe("verification_locked");
    const again = next(reregisterEmail(locked, "hash1", now));
    expect(verify(again, right, now).failure).toBeNull();
  });

  it("does not change a verified endpoint on wrong attempts", () => {
    expect(verify({ ...pending, status: "verified" }, wrong, now)).toEqual({
      next: null,
      failure: "verification_token_invalid",
    });
  });
});

describe("registering an address again", () => {
  const again = (endpoint: DeliveryEndpoint, at: Date) =>
    reregisterChannel(endpoint, (generation) => `hash${generation}`, "development", at);

  it("sends a pending endpoint a new token at most once a minute, and invalidates the old one", () => {
    expect(again(pending, later(59_999)).next).toBeNull();
    const renewed = next(again(pending, later(60_000)));
    expect(renewed).toMatchObject({ pushDueAt: later(60_000), verification: { generation: 2 } });
    expect(verify(renewed, right, later(60_001)).failure).toBe("verification_token_invalid");
  });

  it("does not change a verified endpoint that is registered again", () => {
    expect(again({ ...pending, status: "verified" }, later(90_000)).next).toBeNull();
    expect(reregisterEmail({ ...pending, status: "verified" }, "x", now).next).toBeNull();
  });

  it.each(["verification_failed", "verification_locked", "revoked"] as const)(
    "restarts verification from %s immediately",
    (status) => {
      expect(next(again({ ...pending, status }, later(1)))).toMatchObject({
        status: "pending",
        verification: { generation: 2, wrongTries: 0 },
        pushDueAt: later(1),
      });
    },
  );
});

describe("consent", () => {
  it("sets, keeps and withdraws consent by purpose", () => {
    const granted = next(setConsent(pending, "b.news", true));
    expect(setConsent(granted, "b.news", true).next).toBeNull();
    const both = next(setConsent(granted, "a.news", false));
    expect(consentsOf(both)).toEqual([
      { purpose: "a.news", granted: false },
      { purpose: "b.news", granted: true },
    ]);
    expect(consentsOf(next(setConsent(both, "b.news", false)))).toEqual([
      { purpose: "a.news", granted: false },
      { purpose: "b.news", granted: false },
    ]);
  });

  it("withdraws all consent on revocation, permanently", () => {
    const revoked = next(revoke(next(setConsent({ ...pending, status: "verified" }, "news", true))));
    expect(revoked).toMatchObject({ status: "revoked", verifiedAt: null });
    expect(consentsOf(revoked)).toEqual([{ purpose: "news", granted: false }]);
    expect(revoke(revoked).next).toBeNull();
    expect(setConsent(revoked, "news", true)).toEqual({ next: null, failure: "delivery_endpoint_revoked" });
  });
});

describe("failVerification", () => {
  it("fails only a pending endpoint whose current token could not be delivered", () => {
    expect(next(failVerification(pending, 1, "fcm_unregistered"))).toMatchObject({ status: "verification_failed" });
    expect(failVerification(pending, 2, "fcm_unregistered").next).toBeNull();
    expect(failVerification({ ...pending, status: "verified" }, 1, "x").next).toBeNull();
  });
});
