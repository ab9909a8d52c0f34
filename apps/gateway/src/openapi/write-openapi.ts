import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { operationList } from "@platform/contracts/operations";
import { buildErrorReference } from "./build-error-reference.ts";
import { buildOpenApi } from "./build-openapi.ts";

/**
 * Returns the committed files that are generated from the contract: their path from the root of the repository, their
 * absolute path, and their expected text.
 */
export function generatedFiles(): { readonly name: string; readonly file: string; readonly text: string }[] {
  const root = new URL("../../../../", import.meta.url);
  const texts = {
    "apps/gateway/openapi.json": `${JSON.stringify(buildOpenApi(operationList), null, 2)}\n`,
    "apps/gateway/errors.md": buildErrorReference(),
  };
  return Object.entries(texts).map(([name, text]) => ({ name, file: fileURLToPath(new URL(name, root)), text }));
}

/** Writes the generated files, or, with `--check`, only lists those that differ. Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let stale = 0;
  for (const { name, file, text } of generatedFiles()) {
    if (!args.includes("--check")) {
      await writeFile(file, text);
    } else if ((await readFile(file, "utf8").catch(() => null)) !== text) {
      process.stderr.write(`${name} differs from the contract: run npm run generate\n`);
      stale++;
    }
  }
  return stale === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
