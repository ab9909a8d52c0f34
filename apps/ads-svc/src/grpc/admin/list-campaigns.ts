import type { ListCampaignsRequest } from "@platform/proto/ads/v1/ads_admin";
import type { AdsDependencies } from "../dependencies.ts";
import { campaignMessage } from "./campaign-message.ts";

const pageSize = 1_000;

export function listCampaigns(dependencies: AdsDependencies) {
  return async (request: ListCampaignsRequest) => {
    const found = await dependencies.store.campaigns.listCampaigns(
      request.projectClientId ?? null,
      request.afterId,
      request.limit === 0 ? pageSize : Math.min(request.limit, pageSize),
    );
    return { campaigns: await Promise.all(found.map((campaign) => campaignMessage(dependencies, campaign))) };
  };
}
