import { describe, expect, it } from "vitest";
import { type DeliveryEndpoint, firstOwnership, restoreConsent, verify } from "./endpoint.ts";
import { liftSuppression, suppressDead, suppressMarketing, takesMarketing } from "./suppression.ts";

const now = new Date("2026-03-01T00:00:00Z");
const later = new Date("2026-03-02T00:00:00Z");
const endpoint: DeliveryEndpoint = {
  id: "e",
  projectClientId: "c",
  environment: "development",
  channel: "email",
  address: "ann@people.example",
  status: "verified",
  verification: null,
  ownershipGeneration: firstOwnership,
  verifiedAt: now,
  grantedPurposes: ["orders"],
  withdrawnPurposes: ["news"],
  lastErrorCode: null,
  pushDueAt: null,
  resubscription: null,
  suppression: null,
  version: 1,
  createdAt: now,
};
const after = (current: DeliveryEndpoint, { next }: { readonly next: DeliveryEndpoint | null }) => next ?? current;
const bounced = after(endpoint, suppressDead(endpoint, "bounced", "bounced", now));
const complained = after(endpoint, suppressMarketing(endpoint, "offers", now));

describe("a dead address", () => {
  it("revokes the endpoint with the reason, and remembers the consents that it withdraws", () => {
    expect(bounced).toMatchObject({
      status: "revoked",
      lastErrorCode: "bounced",
      grantedPurposes: [],
      withdrawnPurposes: ["news", "orders"],
      ownershipGeneration: firstOwnership + 1,
      suppression: { reason: "bounced", since: now, withdrew: ["orders"] },
    });
  });

  it("does not change a dead address that is reported again or was revoked before", () => {
    expect(suppressDead(bounced, "refused", "smtp_550", later).next).toBeNull();
    expect(suppressMarketing(bounced, "news", later).next).toBeNull();
  });

  it("verifies a dead address again when its suppression is lifted, with exactly the consents that its owner had granted", () => {
    expect(after(bounced, liftSuppression(bounced, later))).toMatchObject({
      status: "verified",
      verifiedAt: later,
      lastErrorCode: null,
      grantedPurposes: ["orders"],
      withdrawnPurposes: ["news"],
      suppression: null,
    });
  });

  it("ends the suppression of an address once its owner has verified it again", () => {
    const verification = { tokenHash: "h", generation: 1, issuedAt: now, expiresAt: later, wrongTries: 0 };
    const pending = { ...bounced, status: "pending", verification } as const;
    expect(
      after(
        pending,
        verify(pending, () => true, now),
      ),
    ).toMatchObject({ status: "verified", suppression: null });
  });
});

describe("a person who complained", () => {
  it("withdraws every consent of a person who complained, and no longer presumes consent to marketing", () => {
    expect(complained).toMatchObject({
      status: "verified",
      grantedPurposes: [],
      withdrawnPurposes: ["news", "orders", "offers"],
      suppression: { reason: "complained", since: now },
    });
    expect(takesMarketing(complained, "a purpose of later")).toBe(false);
    expect(takesMarketing(endpoint, "a purpose of later")).toBe(true);
  });

  it("sends emails again for a purpose that was granted after the complaint", () => {
    const granted = after(complained, restoreConsent(complained, "news"));
    expect(takesMarketing(granted, "news")).toBe(true);
    expect(takesMarketing(granted, "offers")).toBe(false);
  });

  it("keeps the time of the first complaint, and does not change if a complaint withdraws nothing more", () => {
    expect(suppressMarketing(complained, "offers", later).next).toBeNull();
    expect(after(complained, suppressMarketing(complained, "other", later)).suppression?.since).toEqual(now);
  });

  it("restores no consent of a person who complained when the suppression is lifted", () => {
    expect(after(complained, liftSuppression(complained, later))).toMatchObject({
      grantedPurposes: [],
      withdrawnPurposes: ["news", "orders", "offers"],
      suppression: null,
    });
  });

  it("withdraws the consent for at most 1,000 purposes", () => {
    const withdrawnPurposes = Array.from({ length: 999 }, (_, index) => `p${index}`);
    const many = { ...endpoint, grantedPurposes: [], withdrawnPurposes };
    const full = after(many, suppressMarketing(many, "the thousandth", now));
    expect(full.withdrawnPurposes).toHaveLength(1000);
    expect(after(full, suppressMarketing(full, "one more", now)).withdrawnPurposes).toHaveLength(1000);
  });
});

it("changes nothing when the suppression of an endpoint is lifted that is not suppressed", () => {
  expect(liftSuppression(endpoint, now).next).toBeNull();
});
