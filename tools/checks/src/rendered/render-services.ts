import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSource, repositoryRoot } from "../source-files.ts";
import { renderRegions } from "./regions.ts";
import { serviceRegions } from "./service-regions.ts";

/** Returns the text of every file with lines that are rendered from the list of services, by its path. */
export function renderServices(): Map<string, string> {
  return new Map(
    [...serviceRegions()].map(([path, regions]) => [path, renderRegions(path, readSource(path), regions)]),
  );
}

/** Checks that these files are what `make generate` writes. */
export function checkRenderedServices(): string[] {
  return [...renderServices()]
    .filter(([path, text]) => readSource(path) !== text)
    .map(([path]) => `${path} is not what libs/contracts/src/services.ts renders; run make generate`);
}

if (import.meta.main) {
  for (const [path, text] of renderServices()) writeFileSync(join(repositoryRoot, path), text);
}
