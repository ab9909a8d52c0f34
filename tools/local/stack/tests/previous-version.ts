import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { workspaceFolders } from "@platform/test-kit/workspaces";
import { repositoryRoot } from "../src/stack.ts";

const run = promisify(execFile);

/** A checkout of the commit before this one, with the installed packages. */
export type PreviousVersion = { readonly root: string; readonly commit: string; remove(): Promise<void> };

/**
 * Extracts the previous commit's files into a temporary folder. Rejects if git does not have that commit: a shallow
 * clone needs a depth of 2.
 */
export async function checkOutPreviousVersion(): Promise<PreviousVersion> {
  const git = (...args: string[]) => run("git", args, { cwd: repositoryRoot });
  const commit = (await git("rev-parse", "--short", "HEAD~1")).stdout.trim();
  const root = await mkdtemp(join(tmpdir(), "platform-previous-"));
  const archive = join(root, "source.tar");
  await git("archive", "--output", archive, "HEAD~1");
  await run("tar", ["xf", archive], { cwd: root });
  await rm(archive);
  for (const folder of [".", ...workspaceFolders(repositoryRoot)]) await linkPackages(folder, root);
  return { root, commit, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Links the packages installed for a folder; the workspaces among them are those of the other version. */
async function linkPackages(folder: string, root: string): Promise<void> {
  const source = join(repositoryRoot, folder, "node_modules");
  const target = join(root, folder, "node_modules");
  const names = await readdir(source).catch(() => []);
  if (names.length > 0) await mkdir(target, { recursive: true });
  for (const name of names) {
    if (name === "@platform") {
      await mkdir(join(target, name));
      const { stdout } = await run(
        "readlink",
        (await readdir(join(source, name))).map((one) => join(source, name, one)),
      );
      for (const link of stdout.trim().split("\n")) {
        await symlink(link, join(target, name, link.split("/").at(-1) ?? ""));
      }
    } else {
      await symlink(join(source, name), join(target, name));
    }
  }
}
