import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTypescript, { astToString } from "openapi-typescript";
import { rolldown } from "rolldown";

/** The parts of the OpenAPI document from which the table of operations is generated. */
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>> };
type DocumentOperation = {
  readonly operationId: string;
  readonly parameters: readonly { readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
};

const home = fileURLToPath(new URL(".", import.meta.url));
const openapiPath = fileURLToPath(new URL("../../apps/gateway/openapi.json", import.meta.url));
const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
const repository = fileURLToPath(new URL("../..", import.meta.url));
const form = "application/x-www-form-urlencoded";
const head = "// Generated from apps/gateway/openapi.json by libs/client/generate.ts. Do not edit.\n";

/**
 * Writes the generated parts of this package into `folder`, which contains its sources: from the committed OpenAPI
 * document the types of every operation and the table with which requests are sent (src/generated), and the whole
 * package as plain JavaScript with declarations (generated), so that it can be installed without a build and without
 * type stripping.
 */
async function generate(folder: string): Promise<void> {
  const document = JSON.parse(readFileSync(openapiPath, "utf8")) as Document;
  mkdirSync(join(folder, "src/generated"), { recursive: true });
  const schema = await openapiTypescript(document as unknown as Parameters<typeof openapiTypescript>[0], {
    immutable: true,
    // Callers may omit fields that have a default.
    defaultNonNullable: false,
  });
  writeFileSync(join(folder, "src/generated/schema.ts"), head + astToString(schema));
  writeFileSync(join(folder, "src/generated/operations.ts"), operationTable(document));
  rmSync(join(folder, "generated"), { recursive: true, force: true });
  const project = join(folder, "tsconfig.package.json");
  execFileSync(process.execPath, [tsc, "-p", project], { cwd: folder, stdio: "inherit" });
  await bundleTesting(join(folder, "generated/testing"));
  for (const file of declarationsIn(join(folder, "generated"))) {
    // The compiler keeps the sources' extension in declarations, where it is useless to users of the package.
    writeFileSync(file, readFileSync(file, "utf8").replace(/(["']\.{1,2}\/[^"']+)\.ts(["'])/g, "$1.js$2"));
  }
}

/** The fake platform in one file, together with the contract's operations and schemas, which are not packages outside this repository. */
async function bundleTesting(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: join(home, "src/testing/index.ts"),
    external: [/^node:/, /^zod$/, /^standardwebhooks$/, /^@noble\//],
    platform: "neutral",
  });
  await bundle.write({ file: join(folder, "index.js"), format: "esm", sourcemap: false });
  await bundle.close();
  renameSync(join(folder, "types.d.ts"), join(folder, "index.d.ts"));
  rmSync(join(folder, "types.js"));
}

function declarationsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => join(folder, name));
}

/** How each operation is sent. Forms are omitted, because browsers send those. */
function operationTable({ paths }: Document): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, parameters, requestBody }]) => {
      const media = Object.keys(requestBody?.content ?? {});
      if (media.includes(form)) return [];
      const needsKey = parameters.some(({ $ref }) => $ref?.endsWith("IdempotencyKey") === true);
      const body = media.length === 0 ? "none" : media.includes("application/json") ? "json" : "bytes";
      const row = { method: method.toUpperCase(), path, needsKey, body };
      return [`  ${JSON.stringify(operationId)}: ${JSON.stringify(row)},`];
    }),
  );
  return `${head}/** How each operation is sent, by its id. */\nexport const operationTable = {\n${rows.join("\n")}\n} as const;\n`;
}

/** Compares the committed files with the generated ones. Returns the files that differ. */
async function differences(): Promise<string[]> {
  // Inside the repository, so that the package's dependencies are found from there.
  mkdirSync(join(repository, ".local"), { recursive: true });
  const fresh = mkdtempSync(join(repository, ".local/client-"));
  try {
    for (const part of ["package.json", "src"]) cpSync(join(home, part), join(fresh, part), { recursive: true });
    const project = JSON.parse(readFileSync(join(home, "tsconfig.package.json"), "utf8")) as { extends: string };
    const moved = { ...project, extends: join(home, project.extends) };
    writeFileSync(join(fresh, "tsconfig.package.json"), JSON.stringify(moved));
    await generate(fresh);
    const [expected, committed] = [generatedFiles(fresh), generatedFiles(home)];
    return [...new Set([...expected.keys(), ...committed.keys()])].filter(
      (path) => expected.get(path) !== committed.get(path),
    );
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function generatedFiles(folder: string): Map<string, string> {
  const files = ["src/generated", "generated"].flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path, "utf8")];
    }),
  );
}

if (process.argv.includes("--check")) {
  const differing = await differences();
  for (const path of differing)
    process.stderr.write(`libs/client/${path} is not what is generated; run make generate\n`);
  process.exitCode = differing.length === 0 ? 0 : 1;
} else {
  await generate(home);
}
