import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { topLevel } from "../top-level.ts";
import { registerDecisionCommands } from "./ads/decisions.ts";
import { registerSigningKeyCommands } from "./ads/signing-keys.ts";

/** Commands `ads …`, for decision tokens and the keys with which they are signed. */
export function registerAdsCommands(program: Command, ctl: Ctl): void {
  const ads = topLevel(program, "ads");
  registerDecisionCommands(ads, ctl);
  registerSigningKeyCommands(ads, ctl);
}
