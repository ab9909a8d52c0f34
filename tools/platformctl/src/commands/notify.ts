import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerCatalogCommands } from "./notify-catalog.ts";
import { registerDeliveryCommands } from "./notify-deliveries.ts";
import { registerEndpointCommands } from "./notify-endpoints.ts";
import { registerSenderProfileCommands } from "./notify-sender-profiles.ts";

/** Commands of what notify-svc owns. */
export function registerNotifyCommands(program: Command, ctl: Ctl): void {
  registerSenderProfileCommands(program, ctl);
  registerEndpointCommands(program, ctl);
  registerCatalogCommands(program, ctl);
  registerDeliveryCommands(program, ctl);
}
