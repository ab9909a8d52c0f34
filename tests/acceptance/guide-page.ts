import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@platform/stack/stack";

type Env = Readonly<Record<string, string>>;

/** A guide's requests, executed like a reader does. */
export type GuidePage = {
  /** Runs the page's shell block, and returns what it printed. */
  curl(env: Env): Promise<string>;
  /** Runs the page's TypeScript block and returns its output. `before` replaces the reader's own code. */
  typescript(env: Env, before?: string): Promise<string>;
  /** Starts the page's TypeScript block, which serves. */
  serve(env: Env): { readonly printed: () => string; stop(): void };
  /** The page's TypeScript block. */
  readonly source: string;
};

const execute = promisify(execFile);
const folder = join(repositoryRoot, ".local/guides");

const textOf = (name: string): string => readFileSync(join(repositoryRoot, "docs/guides", `${name}.md`), "utf8");

/** Runs shell commands in the repository, with no more environment than given, and returns what they printed. */
export async function runShell(commands: string, env: Env): Promise<string> {
  const { stdout } = await execute("bash", ["-eu", "-c", commands], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
  });
  return stdout;
}

/** A page's shell blocks, one after the other. */
export const shellBlocks = (name: string): string =>
  [...textOf(name).matchAll(/^```sh\n(.*?)^```/gms)].map(([, code]) => code).join("");

/** A page as a reader types it in one terminal: its shell blocks, with its code block written to a file at that point. */
export function typedPage(name: string, file: string): string {
  const blocks = [...textOf(name).matchAll(/^```(sh|js)\n(.*?)^```/gms)];
  const typed = blocks.map(([, language, code]) => (language === "sh" ? code : `cat > ${file} <<'END'\n${code}END\n`));
  return typed.join("");
}

export function guidePage(name: string): GuidePage {
  const text = textOf(name);
  const block = (language: string): string => {
    const [only, ...others] = [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))];
    if (only?.[1] === undefined || others.length > 0) throw new Error(`${name} needs one ${language} block`);
    return only[1];
  };
  const written = (before: string): string => {
    mkdirSync(folder, { recursive: true });
    // Inside the repository, so that the package is found from there.
    const file = join(folder, `${name}-${crypto.randomUUID()}.ts`);
    writeFileSync(file, `${before}\n${block("ts")}`);
    return file;
  };
  return {
    source: block("ts"),
    curl: (env) => runShell(block("sh"), env),
    typescript: async (env, before = "") => {
      const file = written(before);
      try {
        return (await execute(process.execPath, [file], { env: { ...process.env, FORCE_COLOR: "0", ...env } })).stdout;
      } finally {
        rmSync(file);
      }
    },
    serve: (env) => {
      const file = written("");
      const child: ChildProcess = spawn(process.execPath, [file], {
        env: { ...process.env, FORCE_COLOR: "0", ...env },
      });
      let printed = "";
      child.stdout?.setEncoding("utf8").on("data", (part: string) => {
        printed += part;
      });
      return {
        printed: () => printed,
        stop: () => {
          child.kill();
          rmSync(file);
        },
      };
    },
  };
}
