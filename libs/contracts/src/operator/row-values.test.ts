import { create } from "@bufbuild/protobuf";
import { CampaignSchema } from "@platform/proto/ads/v1/ads_admin";
import { expect, it } from "vitest";
import { rowOf } from "./row-values.ts";

const campaign = create(CampaignSchema, {
  id: "c",
  budgetMinor: 9007199254740991n,
  chargedMinor: 1n,
  startsAt: { seconds: 1_800_000_000n, nanos: 5_000_000 },
});

it("names values as proto does, in the order of the columns, with absent ones as null", () => {
  const columns = [
    { field: "budgetMinor", title: "Budget" },
    { key: "remaining_minor", difference: ["budgetMinor", "chargedMinor"] },
    { field: "startsAt", title: "Starts" },
    { field: "endsAt", title: "Ends" },
    { field: "projectClientId", title: "Project Client" },
  ] as const;
  expect(JSON.stringify(rowOf(CampaignSchema, columns, campaign))).toBe(
    '{"budget_minor":9007199254740991,"remaining_minor":9007199254740990,"starts_at":"2027-01-15T08:00:00.005Z","ends_at":null,"project_client_id":null}',
  );
});

it("has null for an empty text only where the column says so", () => {
  const columns = [
    { field: "name", title: "Name", isNullIfEmpty: true },
    { field: "currency", title: "Currency" },
  ] as const;
  expect(rowOf(CampaignSchema, columns, campaign)).toEqual({ name: null, currency: "" });
});

it("leaves out what only pages show", () => {
  const columns = [
    { field: "id", title: "Campaign" },
    { field: "projectClientId", title: "Project Client", isOnPagesOnly: true },
  ] as const;
  expect(rowOf(CampaignSchema, columns, campaign)).toEqual({ id: "c" });
});
