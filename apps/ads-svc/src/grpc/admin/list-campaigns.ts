import type { ListCampaignsRequest } from "@platform/proto/ads/v1/ads_admin";
import type { AdsDependencies } from "../dependencies.ts";
import { campaignMessage } from "./campaign-message.ts";

const pageSize = 1_000;
/** Ledgers that are read at once for one page. */
const readsMax = 20;

export function listCampaigns(dependencies: AdsDependencies) {
  return async (request: ListCampaignsRequest) => {
    const found = await dependencies.store.campaigns.listCampaigns(
      request.projectClientId ?? null,
      request.afterId,
      request.limit === 0 ? pageSize : Math.min(request.limit, pageSize),
      request.newestFirst,
    );
    const campaigns: Awaited<ReturnType<typeof campaignMessage>>[] = [];
    // In batches: a page of a thousand campaigns takes few of the database's connections from the impressions that are recorded meanwhile.
    for (let at = 0; at < found.length; at += readsMax) {
      const batch = found.slice(at, at + readsMax);
      campaigns.push(...(await Promise.all(batch.map((campaign) => campaignMessage(dependencies, campaign)))));
    }
    return { campaigns };
  };
}
