import { captured } from "@platform/contracts/operator/captured";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerResource } from "../operator-commands.ts";
import { topLevel } from "../top-level.ts";

/** Commands `captured …`, for messages that were kept instead of sent. */
export function registerCapturedCommands(program: Command, ctl: Ctl): void {
  registerResource(topLevel(program, "captured"), ctl, captured);
}
