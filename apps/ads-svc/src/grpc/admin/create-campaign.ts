import { isUuid, newId } from "@platform/kit/process/secrets";
import { dateOrNull } from "@platform/kit/rpc/client";
import type { CreateCampaignRequest } from "@platform/proto/ads/v1/ads_admin";
import { campaignViolations } from "../../domain/campaign.ts";
import type { AdsDependencies } from "../dependencies.ts";
import { campaignMessage, contractViolation } from "./campaign-message.ts";

export function createCampaign(dependencies: AdsDependencies) {
  return async (request: CreateCampaignRequest) => {
    const draft = {
      name: request.name,
      projectClientId: request.projectClientId ?? null,
      currency: request.currency,
      cpmMinor: Number(request.cpmMinor),
      budgetMinor: Number(request.budgetMinor),
      destinationUrl: request.destinationUrl,
      startsAt: dateOrNull(request.startsAt),
      endsAt: dateOrNull(request.endsAt),
    };
    const violations = campaignViolations(draft);
    if (draft.projectClientId !== null && !isUuid(draft.projectClientId)) {
      violations.push({ path: "/project_client_id", code: "invalid_format", message: "must be a UUID" });
    }
    if (violations.length > 0) throw contractViolation(violations);
    const fresh = { pausedAt: null, endedAt: null, earlierBudgets: [] };
    const campaign = { ...draft, ...fresh, id: newId(), createdAt: dependencies.clock() };
    await dependencies.store.campaigns.insertCampaign(campaign);
    return { campaign: await campaignMessage(dependencies, campaign) };
  };
}
