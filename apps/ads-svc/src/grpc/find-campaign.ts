import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import { LRUCache } from "lru-cache";
import type { Campaign } from "../domain/campaign.ts";
import type { CampaignStore } from "../store/campaigns.ts";

/** Finds campaigns by their ids. */
export type CampaignFinder = {
  /** The campaign, or null. */
  find(id: string): Promise<Campaign | null>;
  /**
   * Removes a campaign that this server has changed from the cache, so that its next impression is charged by the new
   * terms.
   */
  forget(id: string): void;
};

/**
 * How long a cached campaign is used, in milliseconds. An operator's change takes effect on every other server within
 * this time.
 */
const keptMs = 1_000;

/**
 * Caches campaigns for a second, so that a busy campaign does not cost one query per impression. Unknown ids are
 * always looked up in the database.
 */
export function createCampaignFinder(store: CampaignStore): CampaignFinder {
  const known = new LRUCache<string, Campaign>({ max: 10_000, ttl: keptMs });
  let changes = 0;
  return {
    find: async (id) => {
      const cached = known.get(id);
      if (cached !== undefined) return cached;
      const changesBefore = changes;
      const campaign = await store.findCampaign(id).catch((error: unknown) => {
        throw dependencyUnavailable(error);
      });
      // A campaign that was read before a change must not be cached after the change.
      if (campaign !== null && changes === changesBefore) known.set(id, campaign);
      return campaign;
    },
    forget: (id) => {
      changes += 1;
      known.delete(id);
    },
  };
}
