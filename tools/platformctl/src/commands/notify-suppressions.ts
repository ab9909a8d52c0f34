import { suppressions } from "@platform/contracts/operator/suppressions";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { topLevel } from "../top-level.ts";

/** Commands `suppressions …`, for addresses to which no message is sent. */
export function registerSuppressionCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "suppressions"), ctl, suppressions);
}
