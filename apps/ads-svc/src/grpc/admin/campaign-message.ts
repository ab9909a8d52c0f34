import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError, type Violation } from "@platform/kit/rpc/errors";
import type { CampaignSchema } from "@platform/proto/ads/v1/ads_admin";
import { type Campaign, campaignStatus, ledgerEnd } from "../../domain/campaign.ts";
import { chargedAfter, isExhausted, type LedgerEnd } from "../../domain/charge.ts";
import type { Impression } from "../../domain/impression.ts";
import type { AdsDependencies } from "../dependencies.ts";

/** The error for invalid operator input. */
export function contractViolation(violations: readonly Violation[]): ServiceError {
  return new ServiceError("contract_violation", "The request does not meet the contract.", { details: { violations } });
}

/** Returns the campaign with this id, which this server may have cached. Throws contract_violation if there is none. */
export async function requireCampaign(dependencies: AdsDependencies, campaignId: string): Promise<Campaign> {
  return found(await dependencies.campaignFinder.find(campaignId));
}

/** Returns the campaign as it is currently stored. Throws contract_violation if there is none. */
export async function requireStoredCampaign({ store }: AdsDependencies, campaignId: string): Promise<Campaign> {
  return found(await store.campaigns.findCampaign(campaignId));
}

function found(campaign: Campaign | null): Campaign {
  if (campaign !== null) return campaign;
  throw contractViolation([{ path: "/campaign_id", code: "not_found", message: "no campaign has this id" }]);
}

/** Encodes a campaign for operators, with the charge that follows from its impressions. */
export async function campaignMessage(
  { store, clock }: AdsDependencies,
  campaign: Campaign,
): Promise<MessageInitShape<typeof CampaignSchema>> {
  const head = await store.impressions.readHead(campaign.id);
  const end = ledgerEnd(campaign, head.ordinal, head.paid);
  const exhausting = isExhausted(campaign, end) ? await findExhausting(store.impressions, campaign, end) : null;
  return {
    id: campaign.id,
    name: campaign.name,
    ...defined({ projectClientId: campaign.projectClientId }),
    currency: campaign.currency,
    cpmMinor: BigInt(campaign.cpmMinor),
    budgetMinor: BigInt(campaign.budgetMinor),
    destinationUrl: campaign.destinationUrl,
    ...optionalTimestamp("startsAt", campaign.startsAt),
    ...optionalTimestamp("endsAt", campaign.endsAt),
    createdAt: timestampFromDate(campaign.createdAt),
    status: campaignStatus(campaign, end, clock()),
    impressions: BigInt(end.ordinal),
    chargedMinor: BigInt(chargedAfter(campaign, end)),
    ...optionalTimestamp("exhaustedAt", exhausting?.recordedAt ?? null),
  };
}

/**
 * Finds the first impression that the current budget could not pay, by bisection: if one is unpaid, every later one
 * is unpaid as well.
 */
async function findExhausting(
  impressions: AdsDependencies["store"]["impressions"],
  campaign: Campaign,
  end: LedgerEnd,
): Promise<Impression | null> {
  if (campaign.earlierBudgets.length === 0) return impressions.findByOrdinal(campaign.id, end.paid + 1);
  let low = 1;
  let high = end.ordinal;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const seen = await impressions.findByOrdinal(campaign.id, middle);
    if (ledgerEnd(campaign, middle, seen?.chargeBasis?.paid ?? null).paid >= end.paid) high = middle;
    else low = middle + 1;
  }
  return impressions.findByOrdinal(campaign.id, low + 1);
}
