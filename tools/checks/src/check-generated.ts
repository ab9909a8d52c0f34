import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { repositoryRoot } from "./source-files.ts";

const proto = join(repositoryRoot, "proto");

/** Runs a program of node_modules/.bin; returns its output if it failed, or null if it succeeded. */
function failureOf(program: string, args: readonly string[], cwd: string): string | null {
  const bin = join(repositoryRoot, "node_modules/.bin");
  try {
    execFileSync(join(bin, program), args, {
      cwd,
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    });
    return null;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    return `${program} ${args.join(" ")}\n${stdout ?? ""}${stderr ?? ""}`;
  }
}

/** Checks that proto/generated is what `make generate` creates from the proto files. */
export function checkGeneratedProto(): string[] {
  const fresh = mkdtempSync(join(tmpdir(), "proto-"));
  try {
    cpSync(proto, fresh, {
      recursive: true,
      filter: (path) => !path.includes("node_modules") && !path.startsWith(join(proto, "generated")),
    });
    const failure = failureOf("buf", ["generate"], fresh);
    if (failure !== null) return [failure];
    const expected = listFiles(join(fresh, "generated"));
    const committed = listFiles(join(proto, "generated"));
    const differing = [...new Set([...expected.keys(), ...committed.keys()])].filter(
      (path) => expected.get(path) !== committed.get(path),
    );
    return differing.map((path) => `proto/generated/${path} is not what the proto files generate; run make generate`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function listFiles(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path, "utf8")];
    }),
  );
}
