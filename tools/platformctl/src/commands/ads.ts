import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerCampaignCommands } from "./ads/campaigns.ts";
import { registerDecisionCommands } from "./ads/decisions.ts";
import { registerSigningKeyCommands } from "./ads/signing-keys.ts";

/** Commands of what ads-svc owns. */
export function registerAdsCommands(program: Command, ctl: Ctl): void {
  registerCampaignCommands(program, ctl);
  const ads = program.command("ads").description("Ad decisions, and the keys their tokens are signed with.");
  registerDecisionCommands(ads, ctl);
  registerSigningKeyCommands(ads, ctl);
}
