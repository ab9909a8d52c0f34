import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Programs whose npm packages fetch or place their binary by a script. npm runs no script that a project does not allow. */
const allowScripts = { node: true, deno: true, bun: true };

/** Creates an empty project of modules, replacing an earlier one. */
export function makeEmptyProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, type: "module", allowScripts };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest)}\n`);
}
