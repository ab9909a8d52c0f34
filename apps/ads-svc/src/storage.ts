import { platformStorage } from "@platform/operator-plane/service";
import { createAdsStore } from "./store/ads-store.ts";
import { sealPurpose } from "./tokens/signing-key-ring.ts";

/** The stores of ads-svc, for migrations and backups. */
export const storage = platformStorage({
  openStores: createAdsStore,
  sharding: {
    impressions: { key: { campaign_id: 1 } },
    campaigns: { unsharded: "one small document a campaign, read by _id and cached" },
    campaign_reports: { unsharded: "sums of a ledger, read by operators" },
    campaign_refusals: {
      unsharded: "one write for each refused campaign and report, by an _id that begins with the campaign",
    },
    signing_keys: { unsharded: "a few keys, which every server reads whole" },
    ad_servers: { unsharded: "a few tokens, looked up by their ids" },
  },
  sealed: [{ collection: "signing_keys", field: "sealed_private_jwk", purposeOf: sealPurpose }],
});
