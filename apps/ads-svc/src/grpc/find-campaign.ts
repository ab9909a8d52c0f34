import { dependencyUnavailable } from "@platform/service-kit/errors/service-error";
import { LRUCache } from "lru-cache";
import type { Campaign } from "../domain/campaign.ts";
import type { CampaignStore } from "../store/campaigns.ts";

/** Finds a campaign by its id, or null. */
export type FindCampaign = (id: string) => Promise<Campaign | null>;

/** How long a found campaign is used: an operator's change holds everywhere within this time. */
const keptMs = 1_000;

/** Caches a campaign for a second, so that a busy one costs no query per impression. Unknown ids always query the database. */
export function createCampaignFinder(store: CampaignStore): FindCampaign {
  const known = new LRUCache<string, Campaign>({ max: 10_000, ttl: keptMs });
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
