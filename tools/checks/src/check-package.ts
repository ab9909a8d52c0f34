import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { contentsProblems, type PackedFile } from "./package-contents.ts";
import { repositoryRoot } from "./source-files.ts";

/** Ways in which projects import the package. It has only ES modules, which Node 20.19 and newer also load with require. */
const resolutions = ["node16-esm", "bundler"];

type Packed = { readonly filename: string; readonly files: readonly PackedFile[] };

/** Returns the problems of the client package as it is published: in its manifest, its files, and its types for importers. */
export async function checkClientPackage(): Promise<string[]> {
  const folder = join(repositoryRoot, "libs/client");
  const packed = mkdtempSync(join(tmpdir(), "client-package-"));
  try {
    const listed = execFileSync("npm", ["pack", "--json", "--pack-destination", packed], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [{ filename, files } = { filename: "", files: [] }] = JSON.parse(listed) as Packed[];
    const tarball = readFileSync(join(packed, filename));
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer } });
    const types = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
    if (types.types === false) return ["libs/client has no types"];
    return [
      ...contentsProblems("@platform/client", files),
      ...messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`),
      ...types.problems
        .filter((problem) => !("resolutionKind" in problem) || resolutions.includes(problem.resolutionKind))
        .map((problem) => `attw: ${JSON.stringify(problem)}`),
    ];
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}
