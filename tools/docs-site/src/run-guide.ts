import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GuideLanguage, guideScript } from "./guide-script.ts";
import { repositoryRoot } from "./site-pages.ts";

type Env = Readonly<Record<string, string>>;

/** A guide whose commands run in one terminal. */
export type GuideRun = {
  /** Everything that the commands have printed so far, including errors. */
  readonly printed: () => string;
  /**
   * Settles when the last command has ended, regardless of programs in the background. Rejects with the output if a
   * command fails.
   */
  readonly ended: Promise<void>;
  /** Ends programs in the background and removes the files that the guide wrote. */
  stop(): void;
};

/** Reads the text of a guide, by its name without `.md`. */
export const guideText = (name: string): string =>
  readFileSync(join(repositoryRoot, "docs/guides", `${name}.md`), "utf8");

/**
 * Starts a guide in a folder like a checkout with a running stack: with the stack's files as `.local`, and the
 * packages.
 * @param env all variables of the terminal except PATH and HOME; STACK_DIR is the folder of the stack
 * @param addresses addresses of a stack with its usual ports, and those of the stack under test
 */
export function startGuide(
  name: string,
  language: GuideLanguage,
  { env, addresses }: { readonly env: Env & { readonly STACK_DIR: string }; readonly addresses: Env },
): GuideRun {
  const folder = mkdtempSync(join(tmpdir(), "guide-"));
  symlinkSync(env.STACK_DIR, join(folder, ".local"));
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  const script = guideScript(guideText(name), language, addresses);
  const child = spawn("bash", ["-eu", "-o", "pipefail", "-c", script], {
    cwd: folder,
    // A separate process group, so that programs in the background end with the guide.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      printed += part;
    });
  const stop = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid);
    } catch {
      // All processes of the group have ended.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const isServing = / &\n/.test(script);
  const ended = (async () => {
    const [code] = await once(child, isServing ? "exit" : "close");
    if (!isServing) stop();
    if (code !== 0) throw new Error(`the commands of ${name} in ${language} ended with ${code}:\n${printed}`);
  })();
  return { printed: () => printed, ended, stop };
}
