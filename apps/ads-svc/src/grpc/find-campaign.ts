import { dependencyUnavailable } from "@platform/service-kit/errors/service-error";
import { LRUCache } from "lru-cache";
import type { Campaign } from "../domain/campaign.ts";
import type { CampaignStore } from "../store/campaigns.ts";

/** Finds a campaign by its id, or null. */
export type FindCampaign = (id: string) => Promise<Campaign | null>;

/** Campaigns never change, so a found one is kept for as long as there is room; only unknown ids ask the database. */
export function createCampaignFinder(store: CampaignStore): FindCampaign {
  const known = new LRUCache<string, Campaign>({ max: 10_000 });
  return async (id) => {
    const cached = known.get(id);
    if (cached !== undefined) return cached;
    const campaign = await store.findCampaign(id).catch((error: unknown) => {
      throw dependencyUnavailable(error);
    });
    if (campaign !== null) known.set(id, campaign);
    return campaign;
  };
}
