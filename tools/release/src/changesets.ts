import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { releasedPackage, releasedPackages } from "./packages.ts";

/** Returns the packages that a file in .changeset names in its front matter, each with the kind of its version change. */
function packagesOfChangeset(text: string): string[] {
  const [, matter = ""] = /^---\n(.*?)^---$/ms.exec(text) ?? [];
  return [...matter.matchAll(/^"?([^":\n]+)"?: *(?:major|minor|patch) *$/gm)].map(([, name = ""]) => name);
}

type Changeset = { readonly path: string; readonly packages: readonly string[] };

/** Returns the names of released packages whose changes wait for a release. */
export function pendingReleases(root: string): string[] {
  const named = new Set(changesetsIn(root).flatMap(({ packages }) => packages));
  return releasedPackages(root)
    .filter(({ packageName }) => named.has(packageName))
    .map(({ name }) => name);
}

/**
 * Raises the version of one package according to its changesets, and moves their texts into its changelog. Changesets
 * of other packages remain. Requires installed packages.
 * @throws if no change of the package waits for a release, or a file describes it together with another package's
 */
export function raiseVersion(root: string, name: string): void {
  const own = releasedPackage(root, name);
  if (!pendingReleases(root).includes(name))
    throw new Error(`no file in .changeset names ${own.packageName}: nothing of ${name} waits for a release`);
  const run = (program: string, ...args: string[]): void =>
    void execFileSync(program, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  // The tool runs with the same Node as this process, because the machine's own may be too old for changesets.
  hidingOthers(root, own.packageName, () =>
    run(process.execPath, join(root, "node_modules/.bin/changeset"), "version"),
  );
  run("npm", "install", "--package-lock-only", "--ignore-scripts", "--prefer-offline", "--silent");
}

/**
 * Hides the files of other packages from the tool changesets. The tool can ignore a package only together with all its dependents, and not if a raised
 * package depends on it, as platform-local depends on platformctl. Packages depend on released packages in any version (`*`), so raising one raises no
 * dependent.
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

/** Returns the files that describe changes. */
export function changesetsIn(root: string): Changeset[] {
  const folder = join(root, ".changeset");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => join(folder, file))
    .map((path) => ({ path, packages: packagesOfChangeset(readFileSync(path, "utf8")) }));
}
