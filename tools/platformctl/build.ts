import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { isForUsers } from "./src/mcp/documents.ts";

// Builds the npm package: one file with all code, for Node 20.11 and newer. Only the published package is built; in the repository, Node runs the sources.
const folder = join(import.meta.dirname, "dist");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const bundle = await rolldown({
  input: join(import.meta.dirname, "src/main.ts"),
  platform: "node",
  logLevel: "warn",
});
const file = join(folder, "platformctl.js");
await bundle.write({
  file,
  format: "esm",
  codeSplitting: false,
  // The banner defines variables of CommonJS modules. grpc-health-check needs a folder as its location, because it reads its proto file two folders above.
  banner: `#!/usr/bin/env node
import { createRequire as requireOf } from "node:module";
const require = requireOf(import.meta.url);
const __dirname = import.meta.dirname + "/build/src";`,
});
chmodSync(file, 0o755);
const healthCheck = dirname(createRequire(import.meta.url).resolve("grpc-health-check/package.json"));
cpSync(join(healthCheck, "proto"), join(folder, "proto"), { recursive: true });
// Assistants read the documentation from the package (src/mcp/documents.ts).
const repository = join(import.meta.dirname, "../..");
cpSync(join(repository, "docs"), join(folder, "docs"), {
  recursive: true,
  filter: (path) => isForUsers(basename(path)) && (path.endsWith(".md") || !/\.[a-z]+$/.test(path)),
});
cpSync(join(repository, "apps/gateway/errors.md"), join(folder, "docs/errors.md"));
cpSync(join(repository, "LICENSE"), join(folder, "LICENSE"));
for (const file of ["README.md", "CHANGELOG.md"]) cpSync(join(import.meta.dirname, file), join(folder, file));
const { name, version, license } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
const published = {
  name,
  version,
  license,
  description: "Command-line tool for the operators of a Project Integration platform.",
  type: "module",
  bin: { platformctl: "./platformctl.js" },
  engines: { node: ">=20.11" },
  files: ["platformctl.js", "proto", "docs", "CHANGELOG.md"],
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
