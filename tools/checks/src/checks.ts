import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkClient, checkGeneratedProto, checkOpenapi, checkProto } from "./check-generated.ts";
import { checkGuide } from "./check-guide.ts";
import { checkImports } from "./check-imports.ts";
import { checkClientPackage } from "./check-package.ts";
import { checkManifests } from "./manifests/check-manifests.ts";
import { repositoryRoot } from "./source-files.ts";

const run = promisify(execFile);

/** One check of the repository: answers its problems, none when it passes. */
export type Check = { readonly name: string; readonly problems: () => Promise<string[]> | string[] };

/** A check that passes when a program of node_modules/.bin exits with 0. */
function program(name: string, command: string, args: readonly string[]): Check {
  return {
    name,
    problems: async () => {
      try {
        await run(join(repositoryRoot, "node_modules/.bin", command), args, {
          cwd: repositoryRoot,
          maxBuffer: 64 * 1024 * 1024,
        });
        return [];
      } catch (error) {
        const { stdout, stderr } = error as { stdout?: string; stderr?: string };
        return [`${stdout ?? ""}${stderr ?? ""}`];
      }
    },
  };
}

/** Every check of `make check`, in the order of what is fastest to tell. */
export const checks: readonly Check[] = [
  program("format and lint", "biome", ["ci", "--colors=off", "--max-diagnostics=50", "."]),
  program("types", "tsc", ["--noEmit", "-p", "tsconfig.json"]),
  { name: "imports, names and file lengths", problems: checkImports },
  program("unused files, exports and packages", "knip", ["--no-config-hints", "--no-progress"]),
  { name: "proto lint and breaking changes", problems: checkProto },
  { name: "generated messages", problems: checkGeneratedProto },
  { name: "OpenAPI and error reference", problems: checkOpenapi },
  { name: "client", problems: checkClient },
  { name: "client as published", problems: checkClientPackage },
  { name: "guide to other languages", problems: checkGuide },
  { name: "Kubernetes manifests", problems: checkManifests },
];
