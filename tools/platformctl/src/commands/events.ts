import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";

/** Commands of what events-svc owns. */
export function registerEventsCommands(_program: Command, _ctl: Ctl): void {}
