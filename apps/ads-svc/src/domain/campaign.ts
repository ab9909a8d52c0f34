import type { Violation } from "@platform/kit/rpc/errors";
import { type CampaignTerms, endOf, isExhausted, type LedgerEnd } from "./charge.ts";

/**
 * A campaign. After its creation, only the fields that operators control change. Its charge follows from its
 * impressions.
 */
export type Campaign = CampaignTerms & {
  readonly id: string;
  readonly name: string;
  /** The Project Client to which the campaign belongs, or null. */
  readonly projectClientId: string | null;
  /** Currency code (ISO 4217). */
  readonly currency: string;
  readonly destinationUrl: string;
  /** Time from which decisions are issued; null for the time of creation. */
  readonly startsAt: Date | null;
  /** Time from which no decision is issued or valid; null if the campaign does not end by itself. */
  readonly endsAt: Date | null;
  readonly createdAt: Date;
  /** Time since which the campaign is paused by an operator; null if it is not paused. */
  readonly pausedAt: Date | null;
  /** Time at which an operator ended the campaign, or null. */
  readonly endedAt: Date | null;
  /** The budgets that the campaign had before, oldest first. */
  readonly earlierBudgets: readonly number[];
};

export type CampaignStatus = "scheduled" | "active" | "paused" | "ended" | "exhausted";

/**
 * The status of a campaign, given the end of its ledger. A campaign whose budget is exhausted stays exhausted, even
 * after its end, unless the budget is raised.
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

/** The terms that apply to ledger entries which do not record their own terms. */
export function firstTerms(campaign: Campaign): CampaignTerms {
  return { cpmMinor: campaign.cpmMinor, budgetMinor: campaign.earlierBudgets[0] ?? campaign.budgetMinor };
}

/**
 * The end of a ledger, computed from the ordinal of its last entry and, after a budget raise, the number of paid
 * impressions that this entry records.
 */
export function ledgerEnd(campaign: Campaign, ordinal: number, paid: number | null): LedgerEnd {
  return paid === null ? endOf(firstTerms(campaign), ordinal) : { ordinal, paid };
}

/** Lists every violation of a draft. The list is empty if the draft is valid. */
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

/** Returns whether the value is an amount of money in minor units. */
export function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isWebUrl(text: string): boolean {
  const url = URL.parse(text);
  // A URI is ASCII (RFC 3986); other characters have to be percent-encoded.
  if (url === null || text.length > 2048 || !/^[\x21-\x7e]+$/.test(text)) return false;
  return (url.protocol === "https:" || url.protocol === "http:") && url.username === "" && url.password === "";
}
