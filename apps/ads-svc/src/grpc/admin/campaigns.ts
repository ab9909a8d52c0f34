import { timestampDate } from "@bufbuild/protobuf/wkt";
import { isUuid, newId } from "@platform/kit/process/secrets";
import { dateOrNull } from "@platform/kit/rpc/client";
import { deadlineExceeded } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { CampaignOperationsService } from "@platform/proto/ads/v1/campaign_operations_admin";
import { type Campaign, campaignViolations, isAmount } from "../../domain/campaign.ts";
import { auditLedger } from "../../ledger/audit-ledger.ts";
import { reportCampaign } from "../../ledger/campaign-report.ts";
import { reportGroupings } from "../../store/campaign-reports.ts";
import type { AdsDependencies } from "../dependencies.ts";
import { campaignMessage, contractViolation, requireStoredCampaign } from "./campaign-message.ts";

const dayMs = 86_400_000;
const defaultDays = 30;
const pageSize = 1_000;
/** Maximum number of ledgers that are read concurrently for one page. */
const readsMax = 20;

/** The operator RPCs for campaigns. */
export function campaignServices(dependencies: AdsDependencies): ServedService[] {
  return [
    implementForOperators(CampaignAdminService, campaignRpcs(dependencies)),
    implementForOperators(CampaignOperationsService, operationRpcs(dependencies)),
  ];
}

/** RPCs that create, show, list and verify campaigns. */
function campaignRpcs(dependencies: AdsDependencies): Implementation<typeof CampaignAdminService> {
  return {
    createCampaign: async (request) => {
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
    },
    getCampaign: async ({ campaignId }) => ({
      campaign: await campaignMessage(dependencies, await requireStoredCampaign(dependencies, campaignId)),
    }),
    listCampaigns: async (request) => {
      const found = await dependencies.store.campaigns.listCampaigns(
        request.projectClientId ?? null,
        request.afterId,
        request.limit === 0 ? pageSize : Math.min(request.limit, pageSize),
        request.newestFirst,
      );
      const campaigns: Awaited<ReturnType<typeof campaignMessage>>[] = [];
      // Ledgers are read in batches, so that a page of a thousand campaigns leaves most of the database's connections
      // to impressions that are recorded at the same time.
      for (let at = 0; at < found.length; at += readsMax) {
        const batch = found.slice(at, at + readsMax);
        campaigns.push(...(await Promise.all(batch.map((campaign) => campaignMessage(dependencies, campaign)))));
      }
      return { campaigns };
    },
    verifyCampaignLedger: async (request, call) => {
      const campaign = await requireStoredCampaign(dependencies, request.campaignId);
      const audit = await auditLedger(dependencies.store.impressions, campaign, 0, call.signal);
      if (call.signal.aborted) throw deadlineExceeded();
      return {
        valid: audit.fault === null,
        impressions: BigInt(audit.impressions),
        chargedMinor: audit.chargedMinor,
        faultOrdinal: BigInt(audit.fault?.ordinal ?? 0),
        reason: audit.fault?.reason ?? "",
      };
    },
  };
}

/** RPCs that pause, resume and end campaigns, raise their budgets, and report on them. */
function operationRpcs(dependencies: AdsDependencies): Implementation<typeof CampaignOperationsService> {
  const { store, campaignFinder, clock } = dependencies;
  const answer = async (campaignId: string) => ({
    campaign: await campaignMessage(dependencies, await requireStoredCampaign(dependencies, campaignId)),
  });
  return {
    pauseCampaign: async ({ campaignId }) => {
      refuseEnded(await requireStoredCampaign(dependencies, campaignId));
      await store.campaigns.setPaused(campaignId, clock());
      campaignFinder.forget(campaignId);
      return answer(campaignId);
    },
    resumeCampaign: async ({ campaignId }) => {
      refuseEnded(await requireStoredCampaign(dependencies, campaignId));
      await store.campaigns.setPaused(campaignId, null);
      campaignFinder.forget(campaignId);
      return answer(campaignId);
    },
    endCampaign: async ({ campaignId }) => {
      await requireStoredCampaign(dependencies, campaignId);
      await store.campaigns.end(campaignId, clock());
      campaignFinder.forget(campaignId);
      return answer(campaignId);
    },
    raiseCampaignBudget: async ({ campaignId, budgetMinor }) => {
      const wanted = Number(budgetMinor);
      const campaign = await requireStoredCampaign(dependencies, campaignId);
      refuseEnded(campaign);
      if (!isAmount(wanted) || wanted < campaign.budgetMinor) {
        throw contractViolation([
          { path: "/budget_minor", code: "out_of_range", message: `must be more than ${campaign.budgetMinor}` },
        ]);
      }
      const isRaised = wanted > campaign.budgetMinor;
      if (isRaised && !(await store.campaigns.raiseBudget(campaignId, campaign.budgetMinor, wanted))) {
        throw contractViolation([
          { path: "/budget_minor", code: "invalid_state", message: "another change came first; look at it and repeat" },
        ]);
      }
      campaignFinder.forget(campaignId);
      return answer(campaignId);
    },
    reportCampaign: async ({ campaignId, by }, call) => {
      const grouping = reportGroupings.find((each) => each === by);
      if (grouping === undefined) {
        throw contractViolation([{ path: "/by", code: "invalid_value", message: "must be day or placement" }]);
      }
      const campaign = await requireStoredCampaign(dependencies, campaignId);
      const rows = await reportCampaign(store, campaign, grouping, call.signal);
      return {
        rows: rows.map(({ key, impressions, chargedMinor, refused }) => ({
          key,
          impressions: BigInt(impressions),
          chargedMinor: BigInt(chargedMinor),
          refused: BigInt(refused),
        })),
      };
    },
    listCampaignRefusals: async ({ campaignId, since }) => {
      await requireStoredCampaign(dependencies, campaignId);
      const from = since === undefined ? new Date(clock().getTime() - defaultDays * dayMs) : timestampDate(since);
      const refusals = await store.campaignRefusals.list(campaignId, from);
      return {
        refusals: refusals.map(({ day, reason, count }) => ({
          day: day.toISOString().slice(0, 10),
          reason,
          count: BigInt(count),
        })),
      };
    },
  };
}

function refuseEnded({ endedAt }: Campaign): void {
  if (endedAt !== null) {
    throw contractViolation([{ path: "/campaign_id", code: "ended", message: "the campaign was ended" }]);
  }
}
