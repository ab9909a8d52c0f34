import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import { LRUCache } from "lru-cache";
import type { Campaign } from "../domain/campaign.ts";
import type { CampaignStore } from "../store/campaigns.ts";

/** Finds campaigns by their ids. */
export type CampaignFinder = {
  /** The campaign, or null. */
  find(id: string): Promise<Campaign | null>;
  /** Drops a campaign that this server has changed, so that its next impression is judged by the new terms. */
  forget(id: string): void;
};

/** How long a cached campaign is used. An operator's change takes effect on every other server within this time. */
const keptMs = 1_000;

/** Caches a campaign for a second, so that a busy one costs no query per impression. Unknown ids always query the database. */
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
      // A value read before a change must not be cached after it.
      if (campaign !== null && changes === changesBefore) known.set(id, campaign);
      return campaign;
    },
    forget: (id) => {
      changes += 1;
      known.delete(id);
    },
  };
}
