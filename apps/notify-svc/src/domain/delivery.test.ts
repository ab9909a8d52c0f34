import { describe, expect, it } from "vitest";
import { type Outcome, settle } from "./delivery.ts";

const now = new Date("2026-01-01T00:00:00Z");
const inADay = new Date(now.getTime() + 86_400_000);
const retry = (retryAfterMs: number | null): Outcome => ({
  kind: "retry",
  providerStatus: "throttled",
  errorCode: "fcm_quota_exceeded",
  retryAfterMs,
  isProviderWide: true,
});
const settled = (attempts: number, outcome: Outcome, giveUpAt = inADay) =>
  settle({ attempts, giveUpAt }, outcome, 8, 2_000, now);

describe("settle", () => {
  it("ends a delivery once the provider has accepted it", () => {
    expect(settled(1, { kind: "accepted" })).toEqual({ status: "sent" });
  });

  it.each(["address_dead", "rejected"] as const)("ends a delivery at the first outcome %s", (kind) => {
    expect(settled(1, { kind, errorCode: "x" })).toEqual({ status: "failed", errorCode: "x" });
  });

  it("waits for the longer of the backoff and the provider's Retry-After", () => {
    const dueIn = (ms: number) => ({
      status: "pending",
      errorCode: "fcm_quota_exceeded",
      dueAt: new Date(now.getTime() + ms),
    });
    expect(settled(1, retry(null))).toEqual(dueIn(2_000));
    expect(settled(1, retry(500))).toEqual(dueIn(2_000));
    expect(settled(1, retry(60_000))).toEqual(dueIn(60_000));
  });

  it("fails a delivery with the last error after the eighth attempt", () => {
    expect(settled(7, retry(null)).status).toBe("pending");
    expect(settled(8, retry(null))).toEqual({ status: "failed", errorCode: "fcm_quota_exceeded" });
  });

  it("fails a delivery if its next attempt would be later than 24 hours after it was accepted", () => {
    expect(settled(1, retry(86_400_001))).toEqual({ status: "failed", errorCode: "fcm_quota_exceeded" });
    expect(settled(1, retry(86_400_000)).status).toBe("pending");
  });
});
