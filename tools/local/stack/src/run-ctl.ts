import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "./stack.ts";

const run = promisify(execFile);

/**
 * Environment of the CLI in addition to that of this process, such as PLATFORMCTL_HOME, which determines who is signed
 * in.
 */
export type CtlSettings = Readonly<Record<string, string>>;

/**
 * Runs the operator CLI for a stack with --json and returns its parsed output. Rejects with its stderr if it fails.
 * @param input its standard input
 */
export async function runCtl(
  stackDirectory: string,
  args: readonly string[],
  env: CtlSettings = {},
  input = "",
): Promise<unknown> {
  const printed = await runCtlText(stackDirectory, args, env, input);
  return printed.trim() === "" ? null : (JSON.parse(printed) as unknown);
}

/** Runs a command in the same way and returns its output as text, because parsing would change some numbers. */
export async function runCtlText(
  stackDirectory: string,
  args: readonly string[],
  given: CtlSettings = {},
  input = "",
): Promise<string> {
  const script = join(repositoryRoot, "tools/platformctl/bin/platformctl.js");
  // The home folder belongs to the stack, so that its commands use the stack's token, regardless of who is signed in.
  const own = { STACK_DIR: stackDirectory, PLATFORMCTL_HOME: join(stackDirectory, "stack-platformctl") };
  const env = { ...process.env, ...own, ...given };
  try {
    const running = run(process.execPath, [script, "--json", ...args], { env, maxBuffer: 64 * 1024 * 1024 });
    running.child.stdin?.on("error", () => {}).end(input);
    return (await running).stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(stderr === undefined || stderr === "" ? (error as Error).message : stderr.trim(), { cause: error });
  }
}
