import { join } from "node:path";
import { createCtl } from "@platform/platformctl/ctl";
import { invoke } from "@platform/platformctl/program";
import type { CtlSettings } from "./run-ctl.ts";

/**
 * Runs the operator CLI in this process. Its connections stay open, so a command takes no time to start a process.
 */
export type OpenCtl = { run(args: readonly string[]): Promise<unknown>; close(): void };

/**
 * Opens the CLI for a stack. It uses the stack's token unless `given` contains the home of someone who is signed in.
 */
export function openCtl(stackDirectory: string, given: CtlSettings = {}): OpenCtl {
  const home = { STACK_DIR: stackDirectory, PLATFORMCTL_HOME: join(stackDirectory, "stack-platformctl") };
  const ctl = createCtl({ ...home, ...given }, () => ({ json: true }));
  return { run: async (args) => invoke(await ctl, args), close: () => void ctl.then((opened) => opened.close()) };
}
