import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { releasedPackage, releasedPackages } from "./packages.ts";

/** The packages that a file in .changeset names in its front matter, each with how its version rises. */
function packagesOfChangeset(text: string): string[] {
  const [, matter = ""] = /^---\n(.*?)^---$/ms.exec(text) ?? [];
  return [...matter.matchAll(/^"?([^":\n]+)"?: *(?:major|minor|patch) *$/gm)].map(([, name = ""]) => name);
}

type Changeset = { readonly path: string; readonly packages: readonly string[] };

/** Released packages whose changes wait for a release, by their names. */
export function pendingReleases(root: string): string[] {
  const named = new Set(changesetsIn(root).flatMap(({ packages }) => packages));
  return releasedPackages(root)
    .filter(({ packageName }) => named.has(packageName))
    .map(({ name }) => name);
}

/**
 * Raises the version of one package by what its changesets say, and moves their texts into its changelog. What waits for other packages' releases stays.
 * Needs the installed packages.
 * @throws when no change of the package waits for a release, or a file describes it together with another package's
 */
export function raiseVersion(root: string, name: string): void {
  const own = releasedPackage(root, name);
  if (!pendingReleases(root).includes(name))
    throw new Error(`no file in .changeset names ${own.packageName}: nothing of ${name} waits for a release`);
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(program, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  // Runs with the Node that runs this, because the machine's own may be too old for changesets.
  hidingOthers(root, own.packageName, () =>
    run(process.execPath, join(root, "node_modules/.bin/changeset"), "version"),
  );
  run("npm", "install", "--package-lock-only", "--ignore-scripts", "--prefer-offline", "--silent");
}

/**
 * Acts while changesets sees the files of one package only. It can leave out a package with all its dependents, and no package that a raised one
 * depends on, such as platform-local on platformctl. Released packages are depended on by any version (`*`), so no dependent is raised with them.
 */
function hidingOthers(root: string, packageName: string, act: () => void): void {
  const all = changesetsIn(root);
  const mixed = all.find(({ packages }) => packages.length > 1 && packages.includes(packageName));
  if (mixed !== undefined)
    throw new Error(`${mixed.path} names ${mixed.packages.join(" and ")}: give each package a file of its own`);
  const others = all.filter(({ packages }) => !packages.includes(packageName)).map(({ path }) => path);
  for (const path of others) renameSync(path, `${path}.hidden`);
  try {
    act();
  } finally {
    for (const path of others) renameSync(`${path}.hidden`, path);
  }
}

/** The files that describe changes. */
function changesetsIn(root: string): Changeset[] {
  const folder = join(root, ".changeset");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => join(folder, file))
    .map((path) => ({ path, packages: packagesOfChangeset(readFileSync(path, "utf8")) }));
}
