import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns the folders of all npm workspaces of a checkout, relative to it, as its package.json lists them. */
export function workspaceFolders(root: string): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly workspaces: readonly string[];
  };
  const manifests = workspaces.map((pattern) => `${pattern}/package.json`);
  return globSync(manifests, { cwd: root }).map(dirname).sort();
}
