import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";

/** Commands of what ads-svc owns. */
export function registerAdsCommands(_program: Command, _ctl: Ctl): void {}
