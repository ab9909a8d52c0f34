import type { MessageInitShape } from "@bufbuild/protobuf";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import type {
  RecordViewableImpressionRequest,
  RecordViewableImpressionResponseSchema,
} from "@platform/proto/ads/v1/ads_service";
import type { Campaign } from "../domain/campaign.ts";
import type { Decision } from "../domain/decision.ts";
import type { RefusalReason } from "../domain/refusal.ts";
import { checkVisibility, type ViewabilityFault } from "../domain/viewability.ts";
import { attributionToken } from "../tokens/attribution-tokens.ts";
import { decisionTokenExpired, decisionTokenInvalid } from "../tokens/decision-tokens.ts";
import type { AdsDependencies } from "./dependencies.ts";

/**
 * Checks the token and then the measurement, and records the impression. A token whose measurement is below the
 * threshold can be used again.
 */
export function recordViewableImpression(dependencies: AdsDependencies) {
  const { tokens, campaignFinder, disabledClients, ledger, refusals, keyring, metrics, clock } = dependencies;
  return async (
    request: RecordViewableImpressionRequest,
    call: ServerCall,
  ): Promise<MessageInitShape<typeof RecordViewableImpressionResponseSchema>> => {
    const { decision, isExpired } = await tokens.verify(request.token);
    // Only rejections of tokens that the platform has signed are counted, because guessed tokens belong to no
    // campaign.
    const count = (reason: RefusalReason): void => refusals.count(decision.campaignId, reason, 1);
    const refused = (reason: RefusalReason, error: ServiceError): ServiceError => {
      count(reason);
      return error;
    };
    if (isExpired) throw refused("token_expired", decisionTokenExpired());
    const campaign = await campaignFinder.find(decision.campaignId);
    if (campaign === null || !isDecisionOf(decision, campaign)) throw refused("token_invalid", decisionTokenInvalid());
    const { projectClientId } = campaign;
    if (campaign.endedAt !== null && clock() >= campaign.endedAt)
      throw refused("campaign_ended", decisionTokenExpired());
    if (projectClientId !== null && disabledClients.has(projectClientId))
      throw refused("client_disabled", decisionTokenInvalid());
    const seen = {
      ratioBasisPoints: request.visibleRatioBasisPoints,
      durationMs: request.durationMilliseconds,
    };
    const fault = checkVisibility(decision.format, seen, decision.issuedAt, clock());
    if (fault !== null) throw refused(fault.reason, viewabilityNotMet(fault));
    const { id, placement, format, issuedAt } = decision;
    const outcome = await ledger.record(campaign, { id, placement, format, issuedAt, ...seen }, call.deadlineMs);
    if (!outcome.recorded) count("repeated");
    metrics.impressions.inc({ outcome: outcome.recorded ? "recorded" : "replayed" });
    return {
      recorded: outcome.recorded,
      chargedMinor: BigInt(outcome.chargedMinor),
      destinationUrl: campaign.destinationUrl,
      attributionToken: attributionToken(keyring, decision.id),
    };
  };
}

/**
 * Returns whether the token matches its campaign. The compared terms never change, so a token with other terms was
 * not issued for the campaign.
 */
function isDecisionOf(decision: Decision, campaign: Campaign): boolean {
  return (
    decision.cpmMinor === campaign.cpmMinor &&
    decision.currency === campaign.currency &&
    decision.projectClientId === campaign.projectClientId
  );
}

function viewabilityNotMet(fault: ViewabilityFault): ServiceError {
  if (fault.reason === "impossible_duration") {
    return new ServiceError("viewability_not_met", "The ad cannot have been visible for longer than it was shown.", {
      details: { reason: fault.reason, duration_milliseconds_max: fault.durationMsMax },
    });
  }
  return new ServiceError(
    "viewability_not_met",
    "The ad was not visible enough or for long enough; report it when it was.",
    {
      details: {
        reason: fault.reason,
        visible_ratio_basis_points_min: fault.required.ratioBasisPoints,
        duration_milliseconds_min: fault.required.durationMs,
      },
    },
  );
}
