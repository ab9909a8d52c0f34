import type { GetCampaignRequest } from "@platform/proto/ads/v1/ads_admin";
import type { AdsDependencies } from "../dependencies.ts";
import { campaignMessage, requireStoredCampaign } from "./campaign-message.ts";

export function getCampaign(dependencies: AdsDependencies) {
  return async (request: GetCampaignRequest) => {
    const campaign = await requireStoredCampaign(dependencies, request.campaignId);
    return { campaign: await campaignMessage(dependencies, campaign) };
  };
}
