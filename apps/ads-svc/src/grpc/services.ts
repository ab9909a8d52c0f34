import { implement, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { isMachineCall, type MachineCallers } from "@platform/operator-plane/machines";
import { AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { CampaignAdminService, DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { adServerAdmin } from "./admin/ad-servers.ts";
import { campaignOperations } from "./admin/campaign-operations.ts";
import { createCampaign } from "./admin/create-campaign.ts";
import { getCampaign } from "./admin/get-campaign.ts";
import { issueDecisions } from "./admin/issue-decisions.ts";
import { listCampaigns } from "./admin/list-campaigns.ts";
import { resolveAttribution } from "./admin/resolve-attribution.ts";
import { listSigningKeys, revokeSigningKey, rotateSigningKey } from "./admin/signing-keys.ts";
import { verifyCampaignLedger } from "./admin/verify-campaign-ledger.ts";
import type { AdsDependencies } from "./dependencies.ts";
import { recordViewableImpression } from "./record-viewable-impression.ts";

/** Every gRPC service of ads-svc. */
export function adsServices(dependencies: AdsDependencies): ServedService[] {
  const adServers: MachineCallers = {
    tokens: dependencies.store.adServers,
    name: "ad-server",
    methods: ["IssueDecisions"],
  };
  return [
    implement(ImpressionService, { recordViewableImpression: recordViewableImpression(dependencies) }),
    implementForOperators(CampaignAdminService, {
      createCampaign: createCampaign(dependencies),
      getCampaign: getCampaign(dependencies),
      listCampaigns: listCampaigns(dependencies),
      verifyCampaignLedger: verifyCampaignLedger(dependencies),
    }),
    campaignOperations(dependencies),
    implementForOperators(
      DecisionAdminService,
      {
        issueDecisions: issueDecisions(dependencies),
        listSigningKeys: listSigningKeys(dependencies),
        rotateSigningKey: rotateSigningKey(dependencies),
        revokeSigningKey: revokeSigningKey(dependencies),
        resolveAttribution: resolveAttribution(dependencies),
      },
      { machine: (method, call) => isMachineCall(adServers, method, call) },
    ),
    implementForOperators(AdServerAdminService, adServerAdmin(dependencies)),
  ];
}
