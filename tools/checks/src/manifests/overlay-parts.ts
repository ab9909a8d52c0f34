import { readdirSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../source-files.ts";

/**
 * Returns the folders of an overlay that can be deployed separately: all except those that the others use as components. @param overlay such as
 * `k8s/overlays/local`
 */
export function overlayParts(overlay: string): string[] {
  return readdirSync(join(repositoryRoot, overlay), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !["common", "config"].includes(entry.name))
    .map(({ name }) => name);
}
