import type { Connection } from "mongoose";
import { createCampaignStore } from "./campaigns.ts";
import { createImpressionStore } from "./impressions.ts";
import { createSigningKeyStore } from "./signing-keys.ts";

export type AdsStore = ReturnType<typeof createAdsStore>;

/** Everything ads-svc keeps. */
export function createAdsStore(connection: Connection) {
  return {
    campaigns: createCampaignStore(connection),
    impressions: createImpressionStore(connection),
    signingKeys: createSigningKeyStore(connection),
  };
}
