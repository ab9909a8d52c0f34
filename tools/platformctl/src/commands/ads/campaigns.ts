import { campaigns } from "@platform/contracts/operator/campaigns";
import { steadyNowMs } from "@platform/kit/rpc/client";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";

/** Commands for campaigns. `verify` has code of its own, because its exit code depends on the result. */
export function registerCampaignCommands(program: Command, ctl: Ctl): void {
  const group = topLevel(program, "campaigns");
  registerResource(group, ctl, campaigns);
  group
    .command("verify")
    .description(
      "Recount the impressions of a campaign and check every charge. The exit code is 1 if something is wrong.",
    )
    .requiredOption("--campaign <id>", "campaign id")
    .action(async (options: { campaign: string }) => {
      const service = ctl.connection("ads").service(CampaignAdminService);
      const call = { ...ctl.call(), deadlineMs: steadyNowMs() + 600_000 };
      const audit = await service.verifyCampaignLedger({ campaignId: options.campaign }, call);
      const counted = { impressions: Number(audit.impressions), charged_minor: Number(audit.chargedMinor) };
      if (audit.valid) return ctl.print({ valid: true, ...counted });
      ctl.print({ valid: false, ...counted, fault_ordinal: Number(audit.faultOrdinal), reason: audit.reason });
      process.exitCode = 1;
    });
}
