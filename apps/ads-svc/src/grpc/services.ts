import { implement, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { isMachineCall, type MachineCallers } from "@platform/operator-plane/machines";
import { AdServerAdminService } from "@platform/proto/ads/v1/ad_server_admin";
import { DecisionAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { adServerAdmin } from "./admin/ad-servers.ts";
import { campaignServices } from "./admin/campaigns.ts";
import { issueDecisions, resolveAttribution } from "./admin/decisions.ts";
import { listSigningKeys, revokeSigningKey, rotateSigningKey } from "./admin/signing-keys.ts";
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
    ...campaignServices(dependencies),
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
