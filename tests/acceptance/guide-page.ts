import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@platform/stack/stack";

type Env = Readonly<Record<string, string>>;

/** A page whose commands run in one terminal. */
export type PageRun = {
  /** What the page's commands have printed so far, errors included. */
  readonly printed: () => string;
  /** Settles when the last command has ended, whatever runs in the background. Rejects with what was printed when a command fails. */
  readonly ended: Promise<void>;
  /** Ends what runs in the background and removes the files that the page wrote. */
  stop(): void;
};

const execute = promisify(execFile);
const shellOptions = ["-eu", "-o", "pipefail", "-c"];

const textOf = (name: string): string => readFileSync(join(repositoryRoot, "docs/guides", `${name}.md`), "utf8");

const blocksOf = (name: string): { language: string; code: string }[] =>
  [...textOf(name).matchAll(/^```([a-z]+)\n(.*?)^```/gms)].map(([, language = "", code = ""]) => ({ language, code }));

/** Runs shell commands in the repository, with no more environment than given, and returns what they printed. */
export async function runShell(commands: string, env: Env): Promise<string> {
  const { stdout } = await execute("bash", [...shellOptions, commands], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
  });
  return stdout;
}

/** The only block of a language on a page. */
export function codeOf(name: string, language: string): string {
  const [only, ...others] = blocksOf(name).filter((block) => block.language === language);
  if (only === undefined || others.length > 0) throw new Error(`${name} needs one ${language} block`);
  return only.code;
}

/**
 * A page as a reader types it in one terminal: its shell blocks in their order, and each program written to the file that its first line names. The rest
 * is for other places, such as a web page.
 * @param addresses addresses that the page prints, and those of the stack under test
 */
export function pageScript(name: string, addresses: Env): string {
  const typed = blocksOf(name).map(({ language, code }) => {
    if (language === "sh") return code;
    const [, file] = /^\/\/ (\S+\.m?js)\n/.exec(code) ?? [];
    return file === undefined ? "" : `cat > ${file} <<'END'\n${code}END\n`;
  });
  return Object.entries(addresses).reduce(
    (script, [printed, actual]) => script.replaceAll(printed, actual),
    typed.join(""),
  );
}

/** Starts a page in a folder that has what a checkout with a running stack has: the stack's files and the packages. */
export function startPage(name: string, { env, addresses }: { readonly env: Env; readonly addresses: Env }): PageRun {
  const folder = mkdtempSync(join(tmpdir(), "guide-"));
  symlinkSync(env.STACK_DIR ?? "", join(folder, ".local"));
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  const child = spawn("bash", [...shellOptions, pageScript(name, addresses)], {
    cwd: folder,
    // A group of its own, so that programs in the background end with the page.
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
      // Nothing of the group is left.
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const isServing = / &\n/.test(pageScript(name, addresses));
  const ended = (async () => {
    const [code] = await once(child, isServing ? "exit" : "close");
    if (!isServing) stop();
    if (code !== 0) throw new Error(`the commands of ${name} ended with ${code}:\n${printed}`);
  })();
  return { printed: () => printed, ended, stop };
}
