import { describe, expect, it } from "vitest";
import { type Campaign, campaignStatus, campaignViolations } from "./campaign.ts";
import { endOf } from "./charge.ts";

const campaign: Campaign = {
  id: "01890000-0000-7000-8000-000000000000",
  name: "Spring",
  projectClientId: null,
  currency: "JPY",
  cpmMinor: 250,
  budgetMinor: 2,
  destinationUrl: "https://advertiser.example/",
  startsAt: new Date("2026-03-01T00:00:00Z"),
  endsAt: new Date("2026-04-01T00:00:00Z"),
  createdAt: new Date("2026-02-01T00:00:00Z"),
  pausedAt: null,
  endedAt: null,
  earlierBudgets: [],
};

const pathsOf = (change: Partial<Campaign>): string[] =>
  campaignViolations({ ...campaign, ...change }).map(({ path }) => path);

describe("campaignStatus", () => {
  it.each([
    ["2026-02-28T23:59:59.999Z", "scheduled"],
    ["2026-03-01T00:00:00.000Z", "active"],
    ["2026-03-31T23:59:59.999Z", "active"],
    ["2026-04-01T00:00:00.000Z", "ended"],
  ])("reports a campaign at %s as %s", (now, status) => {
    expect(campaignStatus(campaign, endOf(campaign, 0), new Date(now))).toBe(status);
  });

  it("reports a campaign as exhausted from the first impression that exceeds its budget", () => {
    expect(campaignStatus(campaign, endOf(campaign, 11), new Date("2026-03-02T00:00:00Z"))).toBe("active");
    expect(campaignStatus(campaign, endOf(campaign, 12), new Date("2026-03-02T00:00:00Z"))).toBe("exhausted");
    expect(campaignStatus(campaign, endOf(campaign, 12), new Date("2027-01-01T00:00:00Z"))).toBe("exhausted");
  });
});

describe("campaignViolations", () => {
  it("accepts a campaign with and without a start and an end", () => {
    expect(pathsOf({})).toEqual([]);
    expect(pathsOf({ startsAt: null, endsAt: null })).toEqual([]);
  });

  it.each([
    "javascript:alert(1)",
    "ftp://a.example/",
    "https://user:secret@a.example/",
    "/landing",
    "https://a.example/ b",
    "https://a.example/日本",
    "",
  ])("refuses %j as the destination of a campaign", (destinationUrl) => {
    expect(pathsOf({ destinationUrl })).toEqual(["/destination_url"]);
  });

  it.each([-1, 0.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN])("refuses %d as an amount of money", (amount) => {
    expect(pathsOf({ cpmMinor: amount })).toEqual(["/cpm_minor"]);
    expect(pathsOf({ budgetMinor: amount })).toEqual(["/budget_minor"]);
  });

  it("reports every violation in one response", () => {
    const draft = {
      name: "",
      currency: "jpy",
      cpmMinor: -1,
      budgetMinor: -1,
      destinationUrl: "x",
      endsAt: campaign.startsAt,
    };
    expect(pathsOf(draft)).toEqual([
      "/name",
      "/currency",
      "/cpm_minor",
      "/budget_minor",
      "/destination_url",
      "/ends_at",
    ]);
  });
});
