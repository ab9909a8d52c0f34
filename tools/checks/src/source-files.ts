import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const repositoryRoot = resolve(fileURLToPath(new URL("../../..", import.meta.url)));

/** Existing files below the root that git tracks or would track. */
export function repositoryFiles(): string[] {
  const output = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  return [...new Set(output.split("\n"))].filter((path) => path !== "" && existsSync(join(repositoryRoot, path)));
}

/**
 * Hand-written TypeScript files of the repository. Programs of generated clients are excluded, because they are
 * separate packages that are installed where they are tested.
 */
export function sourceFiles(): string[] {
  return repositoryFiles().filter(
    (path) => path.endsWith(".ts") && !isGenerated(path) && !path.startsWith("tools/proofs/test-clients/clients/"),
  );
}

/** Returns whether a generator wrote the file. */
export function isGenerated(path: string): boolean {
  return path.includes("/generated/") || path.endsWith(".d.ts");
}

export function readSource(path: string): string {
  return readFileSync(join(repositoryRoot, path), "utf8");
}
