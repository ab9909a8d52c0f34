import { describe, expect, it } from "vitest";
import type { DeliveryEndpoint } from "./endpoint.ts";
import { askToResubscribe, confirmResubscription, purposeOfLink, settleMail, takeMail } from "./resubscription.ts";

const start = new Date("2026-03-01T10:00:00.000Z");
const after = (minutes: number): Date => new Date(start.getTime() + minutes * 60_000);
const unsubscribed: DeliveryEndpoint = {
  id: "endpoint",
  projectClientId: "client",
  environment: "production",
  channel: "email",
  address: "ann@people.example",
  status: "verified",
  verification: null,
  ownershipGeneration: 1,
  verifiedAt: start,
  grantedPurposes: ["orders"],
  withdrawnPurposes: ["news"],
  lastErrorCode: null,
  pushDueAt: null,
  resubscription: null,
  suppression: null,
  version: 1,
  createdAt: start,
};
const asked = { purpose: "news", senderProfileId: "profile", locale: "en" } as const;
const ask = (current: DeliveryEndpoint, now = start): DeliveryEndpoint | null =>
  askToResubscribe(current, asked, (generation) => `hash ${generation}`, now).next;
const asking = (current = unsubscribed, now = start): DeliveryEndpoint => {
  const next = ask(current, now);
  if (next === null) throw new Error("no link was made");
  return next;
};

describe("a request for the link that restores consent", () => {
  it("schedules an email immediately, unless the consent already exists or the address is not verified", () => {
    expect(asking().resubscription).toMatchObject({ tokenHash: "hash 1", mailDueAt: start, expiresAt: after(24 * 60) });
    expect(ask({ ...unsubscribed, withdrawnPurposes: [] })).toBeNull();
    expect(ask({ ...unsubscribed, status: "pending" })).toBeNull();
    expect(ask({ ...unsubscribed, status: "revoked" })).toBeNull();
  });

  it("sends at most one link in five minutes and five in a day", () => {
    let current = asking();
    expect(ask(current, after(4))).toBeNull();
    for (let nth = 1; nth < 5; nth += 1) current = asking(current, after(5 * nth));
    expect(ask(current, after(60))).toBeNull();
    expect(ask(current, after(24 * 60 - 1))).toBeNull();
    expect(asking(current, after(24 * 60)).resubscription).toMatchObject({ count: 1 });
  });
});

describe("the link that restores consent", () => {
  it("restores the consent for its purpose, once", () => {
    const done = confirmResubscription(asking(), "hash 1", after(1)).next;
    expect(done).toMatchObject({ grantedPurposes: ["orders", "news"], withdrawnPurposes: [] });
    expect(confirmResubscription(done ?? unsubscribed, "hash 1", after(1))).toMatchObject({
      next: null,
      failure: "verification_token_invalid",
    });
  });

  it("refuses a link after a day, or once a newer one was emailed", () => {
    const first = asking();
    expect(purposeOfLink(first, "hash 1", after(24 * 60 - 1))).toBe("news");
    expect(purposeOfLink(first, "hash 1", after(24 * 60))).toBeNull();
    const second = asking(first, after(5));
    expect(purposeOfLink(second, "hash 1", after(6))).toBeNull();
    expect(purposeOfLink(second, "hash 2", after(6))).toBe("news");
  });
});

describe("the email with the link", () => {
  it("lets one worker claim the email for a minute, and retries it later if it was not sent", () => {
    const taken = takeMail(asking(), start).next;
    if (taken === null) throw new Error("not taken");
    expect(takeMail(taken, start).next).toBeNull();
    const retried = settleMail(taken, 1, false, start).next;
    expect(retried?.resubscription).toMatchObject({ mailDueAt: new Date(start.getTime() + 4_000), mailTries: 1 });
    expect(settleMail(taken, 1, true, start).next?.resubscription).toMatchObject({ mailDueAt: null });
  });

  it("gives up the email after eight attempts", () => {
    let current = asking();
    for (let minute = 0; minute < 8; minute += 1) {
      current = takeMail(current, after(minute * 2)).next ?? current;
      expect(current.resubscription?.mailDueAt).not.toBeNull();
    }
    expect(takeMail(current, after(20)).next?.resubscription).toMatchObject({ mailDueAt: null });
  });
});
