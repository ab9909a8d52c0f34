import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "./stack.ts";

const run = promisify(execFile);

/** Runs the operator CLI against a stack with --json and returns what it printed, parsed. Rejects with what it wrote to stderr when it fails. */
export async function runCtl(stackDirectory: string, args: readonly string[]): Promise<unknown> {
  const printed = await runCtlText(stackDirectory, args);
  return printed.trim() === "" ? null : (JSON.parse(printed) as unknown);
}

/** The same, as the text it printed: for numbers that parsing would change. */
export async function runCtlText(stackDirectory: string, args: readonly string[]): Promise<string> {
  const script = join(repositoryRoot, "tools/platformctl/bin/platformctl.js");
  const env = { ...process.env, STACK_DIR: stackDirectory };
  try {
    const { stdout } = await run(process.execPath, [script, "--json", ...args], { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(stderr === undefined || stderr === "" ? (error as Error).message : stderr.trim(), { cause: error });
  }
}
