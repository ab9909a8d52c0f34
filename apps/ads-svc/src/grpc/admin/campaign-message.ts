import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { CampaignSchema } from "@platform/proto/ads/v1/ads_admin";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import type { Violation } from "@platform/service-kit/errors/violation";
import { optionalTimestamp } from "@platform/service-kit/grpc/timestamps";
import { type Campaign, campaignStatus } from "../../domain/campaign.ts";
import { chargedAfter, isExhausted, lastPaidOrdinal } from "../../domain/charge.ts";
import type { AdsDependencies } from "../dependencies.ts";

/** The error for input an operator has to correct. */
export function contractViolation(violations: readonly Violation[]): ServiceError {
  return new ServiceError("contract_violation", "The request does not meet the contract.", { details: { violations } });
}

/** The campaign with this id. Throws contract_violation when there is none. */
export async function requireCampaign(dependencies: AdsDependencies, campaignId: string): Promise<Campaign> {
  const campaign = await dependencies.findCampaign(campaignId);
  if (campaign === null) {
    throw contractViolation([{ path: "/campaign_id", code: "not_found", message: "no campaign has this id" }]);
  }
  return campaign;
}

/** A campaign as operators see it: what it was charged follows from how many impressions it has. */
export async function campaignMessage(
  { store, clock }: AdsDependencies,
  campaign: Campaign,
): Promise<MessageInitShape<typeof CampaignSchema>> {
  const impressions = await store.impressions.countOf(campaign.id);
  const firstUnpaid = (lastPaidOrdinal(campaign) ?? 0) + 1;
  const exhausting = isExhausted(campaign, impressions)
    ? await store.impressions.findByOrdinal(campaign.id, firstUnpaid)
    : null;
  return {
    id: campaign.id,
    name: campaign.name,
    ...(campaign.projectClientId === null ? {} : { projectClientId: campaign.projectClientId }),
    currency: campaign.currency,
    cpmMinor: BigInt(campaign.cpmMinor),
    budgetMinor: BigInt(campaign.budgetMinor),
    destinationUrl: campaign.destinationUrl,
    ...optionalTimestamp("startsAt", campaign.startsAt),
    ...optionalTimestamp("endsAt", campaign.endsAt),
    createdAt: timestampFromDate(campaign.createdAt),
    status: campaignStatus(campaign, impressions, clock()),
    impressions: BigInt(impressions),
    chargedMinor: BigInt(chargedAfter(campaign, impressions)),
    ...optionalTimestamp("exhaustedAt", exhausting?.recordedAt ?? null),
  };
}
