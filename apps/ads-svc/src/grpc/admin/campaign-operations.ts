import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Implementation, implementForOperators } from "@platform/kit/rpc/server";
import { CampaignOperationsService } from "@platform/proto/ads/v1/campaign_operations_admin";
import { type Campaign, isAmount } from "../../domain/campaign.ts";
import { reportCampaign } from "../../ledger/campaign-report.ts";
import { reportGroupings } from "../../store/campaign-reports.ts";
import type { AdsDependencies } from "../dependencies.ts";
import { campaignMessage, contractViolation, requireStoredCampaign } from "./campaign-message.ts";

const dayMs = 86_400_000;
const defaultDays = 30;

type Rpcs = Implementation<typeof CampaignOperationsService>;

/** The operator RPCs of campaigns. */
export function campaignOperations(dependencies: AdsDependencies) {
  const { store, campaignFinder, clock } = dependencies;
  const answer = async (campaignId: string) => ({
    campaign: await campaignMessage(dependencies, await requireStoredCampaign(dependencies, campaignId)),
  });
  const implementation: Rpcs = {
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
  return implementForOperators(CampaignOperationsService, implementation);
}

function refuseEnded({ endedAt }: Campaign): void {
  if (endedAt !== null) {
    throw contractViolation([{ path: "/campaign_id", code: "ended", message: "the campaign was ended" }]);
  }
}
