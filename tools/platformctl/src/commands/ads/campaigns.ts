import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Campaign, CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { CampaignOperationsService } from "@platform/proto/ads/v1/campaign_operations_admin";
import { steadyNowMs } from "@platform/service-kit/grpc/deadline";
import { type Command, InvalidArgumentError } from "commander";
import type { Ctl } from "../../ctl.ts";
import { readInteger, readTimestamp } from "../../options.ts";
import { printPage } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";

type CreateOptions = {
  readonly name: string;
  readonly currency: string;
  readonly cpmMinor: bigint;
  readonly budgetMinor: bigint;
  readonly destinationUrl: string;
  readonly client?: string;
  readonly startsAt?: Date;
  readonly endsAt?: Date;
};

export function registerCampaignCommands(program: Command, ctl: Ctl): void {
  const campaigns = topLevel(program, "campaigns");
  const service = () => ctl.connection("ads").service(CampaignAdminService);

  campaigns
    .command("create")
    .description(
      "Create a campaign. Its price, window and destination never change afterwards; its budget can be raised.",
    )
    .requiredOption("--name <name>", "1 to 255 characters")
    .requiredOption("--currency <code>", "three capital letters: JPY, USD, …")
    .requiredOption("--cpm-minor <amount>", "price of 1000 viewable impressions, in minor units", readAmount)
    .requiredOption("--budget-minor <amount>", "most the campaign is ever charged, in minor units", readAmount)
    .requiredOption("--destination-url <url>", "where the ad leads; http or https")
    .option("--client <id>", "the Project Client it belongs to")
    .option("--starts-at <time>", "first instant of its window, RFC 3339; default: now", readTime)
    .option("--ends-at <time>", "end of its window, RFC 3339; default: none", readTime)
    .addHelpText(
      "after",
      "\nExample:\n  platformctl campaigns create --name Spring --currency JPY --cpm-minor 250 --budget-minor 100000 --destination-url https://example.com/spring",
    )
    .action(async (options: CreateOptions) => {
      const { client, startsAt, endsAt, ...rest } = options;
      const { campaign } = await service().createCampaign(
        {
          ...rest,
          ...(client === undefined ? {} : { projectClientId: client }),
          ...(startsAt === undefined ? {} : { startsAt: timestampFromDate(startsAt) }),
          ...(endsAt === undefined ? {} : { endsAt: timestampFromDate(endsAt) }),
        },
        ctl.call(),
      );
      if (campaign === undefined) throw new Error("ads-svc answered without a campaign");
      ctl.print({ id: campaign.id });
    });

  campaigns
    .command("show")
    .description("Show a campaign with what it was charged so far.")
    .requiredOption("--campaign <id>", "id of the campaign")
    .action(async (options: { campaign: string }) => {
      const { campaign } = await service().getCampaign({ campaignId: options.campaign }, ctl.call());
      ctl.print(campaignRow(campaign));
    });

  campaigns
    .command("list")
    .description("List campaigns, newest first.")
    .option("--client <id>", "only those of this Project Client")
    .option("--limit <n>", "at most this many; without it all")
    .action(async (options: { client?: string; limit?: string }) => {
      const limit =
        options.limit === undefined ? Number.POSITIVE_INFINITY : readInteger("--limit", options.limit, 1, 200);
      const owner = options.client === undefined ? {} : { projectClientId: options.client };
      const rows: object[] = [];
      for (let afterId = "", isMore = true; isMore && rows.length < limit; ) {
        const page = await service().listCampaigns(
          { ...owner, afterId, limit: Math.min(limit - rows.length, 200), newestFirst: true },
          ctl.call(),
        );
        rows.push(...page.campaigns.map(campaignRow));
        isMore = page.campaigns.length > 0;
        afterId = page.campaigns.at(-1)?.id ?? afterId;
      }
      ctl.print(rows);
    });

  registerCampaignOperations(campaigns, ctl);

  campaigns
    .command("verify")
    .description(
      "Recount a campaign's impressions one by one and check every charge. Exit code 1 when something is wrong.",
    )
    .requiredOption("--campaign <id>", "id of the campaign")
    .action(async (options: { campaign: string }) => {
      const call = { ...ctl.call(), deadlineMs: steadyNowMs() + 600_000 };
      const audit = await service().verifyCampaignLedger({ campaignId: options.campaign }, call);
      const counted = { impressions: Number(audit.impressions), charged_minor: Number(audit.chargedMinor) };
      if (audit.valid) return ctl.print({ valid: true, ...counted });
      ctl.print({ valid: false, ...counted, fault_ordinal: Number(audit.faultOrdinal), reason: audit.reason });
      process.exitCode = 1;
    });
}

/** `pause`, `resume`, `end`, `raise-budget`, `report` and `refusals`. */
function registerCampaignOperations(campaigns: Command, ctl: Ctl): void {
  const operations = () => ctl.connection("ads").service(CampaignOperationsService);
  const simple = {
    pause: ["Issue no decisions from now on; those that were issued stay good.", "pauseCampaign"],
    resume: ["Take a pause back.", "resumeCampaign"],
    end: ["End a campaign for good: no decision is issued or valid any more.", "endCampaign"],
  } as const;
  for (const [name, [description, rpc]] of Object.entries(simple)) {
    campaigns
      .command(name)
      .description(description)
      .requiredOption("--campaign <id>", "id of the campaign")
      .action(async ({ campaign: campaignId }: { campaign: string }) => {
        ctl.print(campaignRow((await operations()[rpc]({ campaignId }, ctl.call())).campaign));
      });
  }
  campaigns
    .command("raise-budget")
    .description("Raise the most a campaign is ever charged; impressions that were not paid before stay free.")
    .requiredOption("--campaign <id>", "id of the campaign")
    .requiredOption("--budget-minor <amount>", "the new budget, in minor units", readAmount)
    .action(async ({ campaign: campaignId, budgetMinor }: { campaign: string; budgetMinor: bigint }) => {
      const reply = await operations().raiseCampaignBudget({ campaignId, budgetMinor }, ctl.call());
      ctl.print(campaignRow(reply.campaign));
    });
  campaigns
    .command("report")
    .description("Add up a campaign's impressions by UTC day or by placement.")
    .requiredOption("--campaign <id>", "id of the campaign")
    .requiredOption("--by <grouping>", "day or placement")
    .addHelpText("after", "\nExample:\n  platformctl campaigns report --campaign <id> --by day")
    .action(async ({ campaign: campaignId, by }: { campaign: string; by: string }) => {
      // The first report of a long campaign reads all of its ledger.
      const call = { ...ctl.call(), deadlineMs: steadyNowMs() + 600_000 };
      const { rows } = await operations().reportCampaign({ campaignId, by }, call);
      const items = rows.map((row) => ({
        key: row.key,
        impressions: Number(row.impressions),
        charged_minor: Number(row.chargedMinor),
        refused: Number(row.refused),
      }));
      printPage(ctl, items, "");
    });
  campaigns
    .command("refusals")
    .description("Show why reports of a campaign's impressions were refused, by UTC day.")
    .requiredOption("--campaign <id>", "id of the campaign")
    .option("--since <time>", "from the day of this time: RFC 3339, or 7d ago", "30d")
    .action(async (options: { campaign: string; since: string }) => {
      const since = readTimestamp("--since", options.since);
      const request = { campaignId: options.campaign, ...(since === undefined ? {} : { since }) };
      const { refusals } = await operations().listCampaignRefusals(request, ctl.call());
      const items = refusals.map(({ day, reason, count }) => ({ day, reason, count: Number(count) }));
      printPage(ctl, items, "");
    });
}

function campaignRow(campaign: Campaign | undefined): object {
  if (campaign === undefined) throw new Error("ads-svc answered without a campaign");
  return {
    id: campaign.id,
    name: campaign.name,
    project_client_id: campaign.projectClientId ?? null,
    currency: campaign.currency,
    cpm_minor: Number(campaign.cpmMinor),
    budget_minor: Number(campaign.budgetMinor),
    destination_url: campaign.destinationUrl,
    status: campaign.status,
    impressions: Number(campaign.impressions),
    charged_minor: Number(campaign.chargedMinor),
    remaining_minor: Number(campaign.budgetMinor - campaign.chargedMinor),
    starts_at: textOf(campaign.startsAt),
    ends_at: textOf(campaign.endsAt),
    exhausted_at: textOf(campaign.exhaustedAt),
    created_at: textOf(campaign.createdAt),
  };
}

/** A timestamp as RFC 3339 in UTC, or null. */
function textOf(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : timestampDate(timestamp).toISOString();
}

function readAmount(text: string): bigint {
  if (!/^\d+$/.test(text) || BigInt(text) > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new InvalidArgumentError(`must be a whole number of minor units, 0 to ${Number.MAX_SAFE_INTEGER}`);
  }
  return BigInt(text);
}

function readTime(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/i.test(text) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError("must be a time with an offset, for example 2026-12-24T18:00:00+09:00");
  }
  return time;
}
