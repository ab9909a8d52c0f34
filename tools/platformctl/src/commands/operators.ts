import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";
import { registerCompletionCommand } from "./operators/completion.ts";
import { registerContextCommands } from "./operators/contexts.ts";
import { registerOperatorActionCommands } from "./operators/operator-actions.ts";
import { registerSignInCommands } from "./operators/sign-in.ts";

/** Commands about operators themselves: who they are, what they did, and which platforms they operate. */
export function registerOperatorCommands(program: Command, ctl: Ctl): void {
  registerSignInCommands(program, ctl);
  registerContextCommands(program, ctl);
  registerOperatorActionCommands(program, ctl);
  registerCompletionCommand(program);
}
