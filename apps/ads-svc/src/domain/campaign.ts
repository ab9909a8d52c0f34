import type { Violation } from "@platform/kit/rpc/errors";
import { type CampaignTerms, endOf, isExhausted, type LedgerEnd } from "./charge.ts";

/** A campaign. After its creation only the operators' controls change; its charge follows from its impressions. */
export type Campaign = CampaignTerms & {
  readonly id: string;
  readonly name: string;
  /** The Project Client it belongs to, or null. */
  readonly projectClientId: string | null;
  /** ISO 4217. */
  readonly currency: string;
  readonly destinationUrl: string;
  /** Time from which decisions are issued; null for the time of creation. */
  readonly startsAt: Date | null;
  /** Instant from which no decision is issued or valid. Null means never. */
  readonly endsAt: Date | null;
  readonly createdAt: Date;
  /** While an operator has it paused: since when. */
  readonly pausedAt: Date | null;
  /** Time at which an operator ended the campaign, or null. */
  readonly endedAt: Date | null;
  /** The budgets it had before, oldest first. */
  readonly earlierBudgets: readonly number[];
};

export type CampaignStatus = "scheduled" | "active" | "paused" | "ended" | "exhausted";

/**
 * The status of a campaign, given the end of its ledger. An exhausted campaign stays exhausted, whatever its window,
 * unless its budget is raised.
 */
export function campaignStatus(campaign: Campaign, end: LedgerEnd, now: Date): CampaignStatus {
  if (campaign.endedAt !== null) return "ended";
  if (isExhausted(campaign, end)) return "exhausted";
  if (campaign.endsAt !== null && now >= campaign.endsAt) return "ended";
  if (campaign.pausedAt !== null) return "paused";
  if (campaign.startsAt !== null && now < campaign.startsAt) return "scheduled";
  return "active";
}

/** Input for creating a campaign. */
export type CampaignDraft = Omit<Campaign, "id" | "createdAt" | "pausedAt" | "endedAt" | "earlierBudgets">;

/** The terms of ledger entries that do not record their own. */
export function firstTerms(campaign: Campaign): CampaignTerms {
  return { cpmMinor: campaign.cpmMinor, budgetMinor: campaign.earlierBudgets[0] ?? campaign.budgetMinor };
}

/** The end of a ledger whose last entry has this ordinal and, after a budget raise, this number of paid impressions. */
export function ledgerEnd(campaign: Campaign, ordinal: number, paid: number | null): LedgerEnd {
  return paid === null ? endOf(firstTerms(campaign), ordinal) : { ordinal, paid };
}

/** Every violation of a draft; empty when it is valid. */
export function campaignViolations(draft: CampaignDraft): Violation[] {
  const violations: Violation[] = [];
  const refuse = (path: string, code: Violation["code"], message: string): void =>
    void violations.push({ path, code, message });
  const nameLength = [...draft.name].length;
  if (nameLength < 1 || nameLength > 255) refuse("/name", "invalid_length", "must have 1 to 255 characters");
  if (!/^[A-Z]{3}$/.test(draft.currency)) refuse("/currency", "invalid_format", "must be three capital letters");
  if (!isAmount(draft.cpmMinor)) refuse("/cpm_minor", "out_of_range", `must be 0 to ${Number.MAX_SAFE_INTEGER}`);
  if (!isAmount(draft.budgetMinor)) refuse("/budget_minor", "out_of_range", `must be 0 to ${Number.MAX_SAFE_INTEGER}`);
  if (!isWebUrl(draft.destinationUrl)) {
    refuse(
      "/destination_url",
      "invalid_format",
      "must be an http or https URL without credentials, at most 2048 characters",
    );
  }
  if (draft.startsAt !== null && draft.endsAt !== null && draft.startsAt >= draft.endsAt) {
    refuse("/ends_at", "out_of_range", "must be later than starts_at");
  }
  return violations;
}

/** True if the value is an amount of money in minor units. */
export function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  // A URI is ASCII (RFC 3986); anything else has to arrive percent-encoded.
  if (url === null || text.length > 2048 || !/^[\x21-\x7e]+$/.test(text)) return false;
  return (url.protocol === "https:" || url.protocol === "http:") && url.username === "" && url.password === "";
}
