import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";

/** Commands of what files-svc owns. */
export function registerFilesCommands(_program: Command, _ctl: Ctl): void {}
