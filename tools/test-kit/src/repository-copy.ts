import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { workspaceFolders } from "./workspaces.ts";

const source = resolve(import.meta.dirname, "../../..");

/** A copy of the repository that a test may change. */
export type RepositoryCopy = {
  readonly root: string;
  /**
   * Runs a program of node_modules/.bin in the copy; returns its output.
   * @throws an Error with its `stdout` when it fails
   */
  run(program: string, ...args: string[]): string;
  close(): void;
};

/**
 * Copies the files that git tracks, or would track, into a temporary folder, as one commit of a separate repository. Packages from npm are linked from the
 * original; workspaces are copied.
 */
export function copyRepository(): RepositoryCopy {
  const root = mkdtempSync(join(tmpdir(), "repository-"));
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  for (const path of execFileSync("git", list, { cwd: source, encoding: "utf8" }).split("\0")) {
    if (path !== "" && existsSync(join(source, path))) cpSync(join(source, path), join(root, path));
  }
  for (const folder of [".", ...workspaceFolders(source)]) linkPackages(folder, root);
  linkWorkspaces(root);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=copy");
  return {
    root,
    run: (program, ...args) => {
      const bin = join(source, "node_modules/.bin");
      // If Nx runs this test, its variables must not reach the Nx of the copy.
      const own = Object.entries(process.env).filter(([name]) => !name.startsWith("NX_") && !name.startsWith("VITEST"));
      const { status, stdout, stderr } = spawnSync(join(bin, program), args, {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 64 * 1024 * 1024,
        env: { ...Object.fromEntries(own), PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`, NX_DAEMON: "false" },
      });
      if (status !== 0) {
        const message = `${program} ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`;
        throw Object.assign(new Error(message), { stdout });
      }
      return stdout;
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Links every package of a folder's node_modules except the workspaces. */
function linkPackages(folder: string, root: string): void {
  const packages = join(source, folder, "node_modules");
  if (!existsSync(packages)) return;
  const target = join(root, folder, "node_modules");
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(packages)) {
    if (name !== "@platform" && name !== ".cache") symlinkSync(join(packages, name), join(target, name));
  }
}

function linkWorkspaces(root: string): void {
  const scope = join(root, "node_modules/@platform");
  rmSync(scope, { recursive: true, force: true });
  mkdirSync(scope, { recursive: true });
  for (const folder of workspaceFolders(root)) {
    const { name } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { readonly name: string };
    symlinkSync(join(root, folder), join(root, "node_modules", name));
  }
}
