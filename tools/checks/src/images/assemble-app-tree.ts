import { execFile } from "node:child_process";
import { cp, mkdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { workspaceClosure } from "./workspace-closure.ts";

const run = promisify(execFile);

/** Parts of a workspace that no running process needs. */
const leftOut = new Set(["node_modules", "tests", "tsconfig.json", "README.md", "buf.yaml", "buf.gen.yaml"]);

/** Programs that are only in images with this library (libs/backup adds the SDK of S3). */
const withLibrary = "libs/backup";
const runsByLibrary = /(^|\/)apps\/[^/]+\/src\/backup\.ts$/;

/**
 * Copies the files of one app's image into an empty folder: its workspaces at their repository paths (Node strips types
 * only outside of node_modules, so the links of npm workspaces are kept) and its production dependencies. The
 * Dockerfile uses it, and the test that starts every process from such a tree.
 * @param apps folder of the app below the repository's root, such as `apps/gateway`; several folders share a tree. The
 * image that backs up an app contains its folder and `libs/backup`
 */
export async function assembleAppTree(root: string, apps: string | readonly string[], target: string): Promise<void> {
  const folders = [apps].flat();
  await mkdir(target, { recursive: true });
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) await cp(join(root, file), join(target, file));
  for (const folder of new Set(folders.flatMap((app) => workspaceClosure(root, app)))) {
    await cp(join(root, folder), join(target, folder), {
      recursive: true,
      filter: (path) =>
        !leftOut.has(basename(path)) &&
        !/\.(test\.ts|proto)$/.test(path) &&
        (folders.includes(withLibrary) || !runsByLibrary.test(path)),
    });
  }
  const workspaces = folders.flatMap((app) => ["--workspace", app]);
  await run("npm", ["ci", "--omit=dev", ...workspaces, "--prefer-offline", "--no-audit", "--no-fund"], {
    cwd: target,
    maxBuffer: 16 * 1024 * 1024,
  });
}

if (import.meta.main) {
  const [target, ...folders] = process.argv.slice(2);
  if (target === undefined || folders.length === 0)
    throw new Error("usage: assemble-app-tree.ts <empty folder> apps/<app> [libs/backup]");
  await assembleAppTree(process.cwd(), folders, resolve(target));
}
