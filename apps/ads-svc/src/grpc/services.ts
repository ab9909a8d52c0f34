import { CampaignAdminService, DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { operatorGuard } from "@platform/service-kit/grpc/operator-guard";
import { implement, type ServedService } from "@platform/service-kit/grpc/serve";
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
export function adsServices(dependencies: AdsDependencies, operatorToken: string): ServedService[] {
  const guard = operatorGuard(operatorToken);
  return [
    implement(ImpressionService, { recordViewableImpression: recordViewableImpression(dependencies) }),
    implement(
      CampaignAdminService,
      {
        createCampaign: createCampaign(dependencies),
        getCampaign: getCampaign(dependencies),
        listCampaigns: listCampaigns(dependencies),
        verifyCampaignLedger: verifyCampaignLedger(dependencies),
      },
      guard,
    ),
    implement(
      DecisionAdminService,
      {
        issueDecisions: issueDecisions(dependencies),
        listSigningKeys: listSigningKeys(dependencies),
        rotateSigningKey: rotateSigningKey(dependencies),
        revokeSigningKey: revokeSigningKey(dependencies),
        resolveAttribution: resolveAttribution(dependencies),
      },
      guard,
    ),
  ];
}
