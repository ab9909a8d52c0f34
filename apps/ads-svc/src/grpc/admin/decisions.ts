import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import type { Violation } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import { machineOf, requireBinding } from "@platform/operator-plane/machines";
import type { IssueDecisionsRequest, ResolveAttributionRequest } from "@platform/proto/ads/v1/ads_admin";
import type { Campaign } from "../../domain/campaign.ts";
import { decisionSecondsMax, decisionsPerCallMax, placementLengthMax } from "../../domain/decision.ts";
import { isAdFormat } from "../../domain/viewability.ts";
import { readAttributionToken } from "../../tokens/attribution-tokens.ts";
import type { AdsDependencies } from "../dependencies.ts";
import { contractViolation, requireCampaign } from "./campaign-message.ts";

/**
 * Issues signed decisions. An ad server gets decisions of its own campaign only. Decisions are issued even if the
 * budget is exhausted: the impressions are then recorded without a charge.
 */
export function issueDecisions(dependencies: AdsDependencies) {
  return async (request: IssueDecisionsRequest, call: ServerCall) => {
    const { tokens, clock, store } = dependencies;
    requireBinding(await machineOf(store.adServers, call, clock()), request.campaignId, "campaign");
    const { format, placement, count } = request;
    const violations = requestViolations(request);
    if (violations.length > 0 || !isAdFormat(format)) throw contractViolation(violations);
    const campaign = await requireCampaign(dependencies, request.campaignId);
    const now = clock();
    const refusal = windowViolation(campaign, now);
    if (refusal !== null) throw contractViolation([refusal]);
    const { issuedAt, expiresAt } = lifeOf(campaign, now, request.expiresInSeconds);
    const signed = Array.from({ length: count }, () =>
      tokens.sign({
        id: newId(),
        campaignId: campaign.id,
        projectClientId: campaign.projectClientId,
        placement,
        format,
        cpmMinor: campaign.cpmMinor,
        currency: campaign.currency,
        issuedAt,
        expiresAt,
      }),
    );
    return { tokens: await Promise.all(signed), expiresAt: timestampFromDate(expiresAt) };
  };
}

/** Returns the impression to which an attribution token belongs. */
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

/** Computes the times of a token, in whole seconds. A token never outlives its campaign. */
function lifeOf(campaign: Campaign, now: Date, expiresInSeconds: number): { issuedAt: Date; expiresAt: Date } {
  const issuedSeconds = Math.floor(now.getTime() / 1000);
  const endSeconds = campaign.endsAt === null ? Number.POSITIVE_INFINITY : Math.floor(campaign.endsAt.getTime() / 1000);
  return {
    issuedAt: new Date(issuedSeconds * 1000),
    expiresAt: new Date(Math.min(issuedSeconds + expiresInSeconds, endSeconds) * 1000),
  };
}

function windowViolation(campaign: Campaign, now: Date): Violation | null {
  const path = "/campaign_id";
  if (campaign.startsAt !== null && now < campaign.startsAt) {
    return { path, code: "not_started", message: `the campaign starts at ${campaign.startsAt.toISOString()}` };
  }
  if (campaign.endedAt !== null) {
    return { path, code: "ended", message: `the campaign was ended at ${campaign.endedAt.toISOString()}` };
  }
  if (campaign.pausedAt !== null) return { path, code: "invalid_state", message: "the campaign is paused" };
  if (campaign.endsAt !== null && now >= campaign.endsAt) {
    return { path, code: "ended", message: `the campaign ended at ${campaign.endsAt.toISOString()}` };
  }
  return null;
}

function requestViolations(request: IssueDecisionsRequest): Violation[] {
  const violations: Violation[] = [];
  const demand = (holds: boolean, path: string, message: string): void => {
    if (!holds) violations.push({ path, code: "out_of_range", message });
  };
  const { count, expiresInSeconds, placement, format } = request;
  const placementLength = [...placement].length;
  demand(count >= 1 && count <= decisionsPerCallMax, "/count", `must be 1 to ${decisionsPerCallMax}`);
  demand(
    expiresInSeconds >= 1 && expiresInSeconds <= decisionSecondsMax,
    "/expires_in_seconds",
    `must be 1 to ${decisionSecondsMax}`,
  );
  demand(
    placementLength >= 1 && placementLength <= placementLengthMax,
    "/placement",
    `must have 1 to ${placementLengthMax} characters`,
  );
  demand(isAdFormat(format), "/format", "must be display, display_large or video");
  return violations;
}
