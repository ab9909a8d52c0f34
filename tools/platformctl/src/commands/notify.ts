import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";

/** Commands of what notify-svc owns. */
export function registerNotifyCommands(_program: Command, _ctl: Ctl): void {}
