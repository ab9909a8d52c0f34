import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ResolveAttributionRequest } from "@platform/proto/ads/v1/ads_admin";
import { readAttributionToken } from "../../tokens/attribution-tokens.ts";
import type { AdsDependencies } from "../dependencies.ts";
import { contractViolation } from "./campaign-message.ts";

export function resolveAttribution({ store, keyring }: AdsDependencies) {
  return async (request: ResolveAttributionRequest) => {
    const impressionId = readAttributionToken(keyring, request.attributionToken);
    const impression = impressionId === null ? null : await store.impressions.findImpression(impressionId);
    if (impression === null) {
      throw contractViolation([{ path: "/attribution_token", code: "not_found", message: "it names no impression" }]);
    }
    return {
      impressionId: impression.id,
      campaignId: impression.campaignId,
      placement: impression.placement,
      format: impression.format,
      recordedAt: timestampFromDate(impression.recordedAt),
    };
  };
}
