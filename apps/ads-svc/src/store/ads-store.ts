import { createMachineTokens } from "@platform/operator-plane/machines";
import type { Connection } from "mongoose";
import { createCampaignRefusalStore } from "./campaign-refusals.ts";
import { createCampaignReportStore } from "./campaign-reports.ts";
import { createCampaignStore } from "./campaigns.ts";
import { createImpressionStore } from "./impressions.ts";
import { createSigningKeyStore } from "./signing-keys.ts";

export type AdsStore = ReturnType<typeof createAdsStore>;

/** Creates all stores of ads-svc. */
export function createAdsStore(connection: Connection) {
  return {
    campaigns: createCampaignStore(connection),
    campaignReports: createCampaignReportStore(connection),
    campaignRefusals: createCampaignRefusalStore(connection),
    impressions: createImpressionStore(connection),
    signingKeys: createSigningKeyStore(connection),
    adServers: createMachineTokens(connection, { model: "AdServer", collection: "ad_servers", prefix: "padsv" }),
  };
}
