import { members as table } from "@platform/contracts/operator/members";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { topLevel } from "../../top-level.ts";

/** Commands `members …`, for the people of a project. */
export function registerMemberCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "members"), ctl, table);
}
