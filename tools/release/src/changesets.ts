import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { releasedPackage, releasedPackages } from "./packages.ts";

/** The packages that a file in .changeset names in its front matter, each with how its version rises. */
export function packagesOfChangeset(text: string): string[] {
  const [, matter = ""] = /^---\n(.*?)^---$/ms.exec(text) ?? [];
  return [...matter.matchAll(/^"?([^":\n]+)"?: *(?:major|minor|patch) *$/gm)].map(([, name = ""]) => name);
}

/** Released packages whose changes wait for a release, by their names. */
export function pendingReleases(root: string): string[] {
  const named = new Set(
    readdirSync(join(root, ".changeset"))
      .filter((file) => file.endsWith(".md") && file !== "README.md")
      .flatMap((file) => packagesOfChangeset(readFileSync(join(root, ".changeset", file), "utf8"))),
  );
  return releasedPackages(root)
    .filter(({ packageName }) => named.has(packageName))
    .map(({ name }) => name);
}

/**
 * Raises the version of one package by what its changesets say, and moves their texts into its changelog. What waits for other packages' releases stays.
 * Needs the installed packages.
 * @throws when no change of the package waits for a release
 */
export function raiseVersion(root: string, name: string): void {
  const own = releasedPackage(root, name);
  if (!pendingReleases(root).includes(name))
    throw new Error(`no file in .changeset names ${own.packageName}: nothing of ${name} waits for a release`);
  const ignored = withDependents(
    root,
    releasedPackages(root)
      .map(({ packageName }) => packageName)
      .filter((one) => one !== own.packageName),
  );
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(program, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  run(join(root, "node_modules/.bin/changeset"), "version", ...ignored.flatMap((one) => ["--ignore", one]));
  run("npm", "install", "--package-lock-only", "--ignore-scripts", "--prefer-offline", "--silent");
}

/** The packages and those that depend on them: changesets leaves out a package with all its dependents only. */
function withDependents(root: string, packages: readonly string[]): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { workspaces: string[] };
  const manifests = workspaces
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
    .map((path) => JSON.parse(readFileSync(join(root, path), "utf8")) as { name: string; dependencies?: object });
  const found = new Set(packages);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { name, dependencies = {} } of manifests)
      if (Object.keys(dependencies).some((dependency) => found.has(dependency))) found.add(name);
  }
  return [...found];
}
