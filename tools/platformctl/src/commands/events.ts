import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerAuditCommands } from "./events/audits.ts";
import { registerListenCommands } from "./events/listen.ts";
import { registerScheduleCommands } from "./events/schedules.ts";
import { registerSubscriptionCommands } from "./events/subscriptions.ts";
import { registerEventLogCommands } from "./events/tail.ts";

/** Commands of what events-svc owns. */
export function registerEventsCommands(program: Command, ctl: Ctl): void {
  registerAuditCommands(program, ctl);
  registerEventLogCommands(program, ctl);
  registerListenCommands(program, ctl);
  registerScheduleCommands(program, ctl);
  registerSubscriptionCommands(program, ctl);
}
