import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Packages that download or place a binary by an install script. npm runs only the scripts that a project allows. */
const allowScripts = { node: true, deno: true, bun: true };

/** Creates an empty project of ES modules and replaces an earlier one. */
export function makeEmptyProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, type: "module", allowScripts };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest)}\n`);
}
