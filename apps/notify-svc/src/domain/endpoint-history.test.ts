import { expect, it } from "vitest";
import type { DeliveryEndpoint } from "./endpoint.ts";
import { failVerification, firstOwnership, reregisterChannel, revoke, setConsent } from "./endpoint.ts";
import { eventsBetween } from "./endpoint-history.ts";

const now = new Date("2026-03-01T00:00:00Z");
const verified: DeliveryEndpoint = {
  id: "e",
  projectClientId: "c",
  environment: "development",
  channel: "fcm",
  address: "token",
  status: "verified",
  verification: null,
  ownershipGeneration: firstOwnership,
  verifiedAt: now,
  grantedPurposes: ["news", "orders"],
  withdrawnPurposes: [],
  lastErrorCode: null,
  pushDueAt: null,
  resubscription: null,
  suppression: null,
  version: 1,
  createdAt: now,
};
const pending: DeliveryEndpoint = {
  ...verified,
  status: "pending",
  verification: { tokenHash: "h", generation: 1, issuedAt: now, expiresAt: now, wrongTries: 0 },
};
const after = (before: DeliveryEndpoint, { next }: { next: DeliveryEndpoint | null }) =>
  eventsBetween(before, next ?? before);

it("records that an endpoint was registered, and that one which needs no verification is verified", () => {
  expect(eventsBetween(null, pending).map(({ what }) => what)).toEqual(["registered"]);
  expect(eventsBetween(null, verified).map(({ what }) => what)).toEqual(["registered", "verified"]);
});

it("records which consent was granted or withdrawn", () => {
  expect(after(verified, setConsent(verified, "news", false))).toEqual([
    { what: "consent_withdrawn", purpose: "news", detail: null },
  ]);
  expect(after(verified, setConsent(verified, "offers", true))).toEqual([
    { what: "consent_granted", purpose: "offers", detail: null },
  ]);
});

it("records a revocation and its reason once, however many consents it withdraws", () => {
  expect(after(verified, revoke(verified, "fcm_unregistered"))).toEqual([
    { what: "revoked", purpose: null, detail: "fcm_unregistered" },
  ]);
});

it("records why a verification failed, and that the address was registered again", () => {
  const failed = failVerification(pending, 1, "fcm_invalid");
  expect(after(pending, failed)).toEqual([{ what: "verification_failed", purpose: null, detail: "fcm_invalid" }]);
  const current = failed.next ?? pending;
  expect(
    after(
      current,
      reregisterChannel(current, () => "h2", "development", now),
    ),
  ).toEqual([{ what: "registered", purpose: null, detail: null }]);
});

it("records nothing for a change that affects neither the status nor a consent", () => {
  expect(eventsBetween(pending, { ...pending, pushDueAt: now, lastErrorCode: "sender_profile_not_found" })).toEqual([]);
  expect(after(verified, setConsent(verified, "news", true))).toEqual([]);
});
