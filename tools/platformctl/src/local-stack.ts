import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { readTextFile } from "./read-text.ts";

/** A local stack's folder and the settings in its `stack.env`. */
export type LocalStack = {
  readonly directory: string;
  /** True if STACK_DIR sets the folder. A stack that was only found gets no secret of the environment. */
  readonly isNamed: boolean;
  readonly settings: ReadonlyMap<string, string>;
};

/** Root of the checkout that this file runs from; null if platformctl was installed as a package. */
const ownCheckout = checkoutOf(import.meta.dirname);

/**
 * Finds the local stack whose settings a command uses: the folder in STACK_DIR, otherwise `.local` of platformctl's own checkout if the command runs inside
 * it. No other folder counts, whatever it contains. Otherwise anyone who can write to a folder could decide where the operator's secrets are sent.
 * @param checkout for tests: root of the checkout that is used instead of its own
 */
export function findLocalStack(
  env: NodeJS.ProcessEnv,
  workingDirectory: string,
  checkout: string | null = ownCheckout,
): LocalStack | null {
  if (env.STACK_DIR !== undefined)
    return { directory: env.STACK_DIR, isNamed: true, settings: readSettings(env.STACK_DIR) };
  if (checkout === null || !isInside(checkout, workingDirectory)) return null;
  const directory = join(checkout, ".local");
  return { directory, isNamed: false, settings: readSettings(directory) };
}

function checkoutOf(sources: string): string | null {
  const root = resolve(sources, "../../..");
  return existsSync(join(root, "tools/platformctl/src/main.ts")) ? root : null;
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, resolve(path));
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || resolve(way) === way);
}

function readSettings(directory: string): Map<string, string> {
  const path = join(directory, "stack.env");
  if (!existsSync(path)) return new Map();
  const lines = readTextFile(path, "STACK_DIR")
    .split("\n")
    .filter((line) => line.includes("="));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
