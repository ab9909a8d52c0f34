import { subscriptions } from "@platform/contracts/operator/subscriptions";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";

/** Commands of subscriptions. */
export function registerSubscriptionCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "subscriptions"), ctl, subscriptions);
}
