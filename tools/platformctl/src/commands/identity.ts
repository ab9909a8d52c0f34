import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";

/** Commands of what identity-svc owns. */
export function registerIdentityCommands(_program: Command, _ctl: Ctl): void {}
