import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

type PackageJson = { name?: string; workspaces?: string[]; dependencies?: Record<string, string> };

const read = (path: string): PackageJson => JSON.parse(readFileSync(path, "utf8")) as PackageJson;

/**
 * Returns the folders of the workspaces that an app needs at run time: its own folder first, then its dependencies and theirs, without development
 * dependencies.
 */
export function workspaceClosure(root: string, app: string): string[] {
  const folders = (read(join(root, "package.json")).workspaces ?? [])
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((folder) => existsSync(join(root, folder, "package.json")));
  const folderOf = new Map(folders.map((folder) => [read(join(root, folder, "package.json")).name, folder]));
  const closure: string[] = [];
  const visit = (folder: string): void => {
    if (closure.includes(folder)) return;
    closure.push(folder);
    for (const name of Object.keys(read(join(root, folder, "package.json")).dependencies ?? {})) {
      const dependency = folderOf.get(name);
      if (dependency !== undefined) visit(dependency);
    }
  };
  visit(app);
  return closure;
}

type Lock = { readonly packages: Readonly<Record<string, LockedPackage>> };
type LockedPackage = {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/**
 * Returns the names of the packages in an image, from npm and from this repository. These are the packages that the lock file lists for the image's folders,
 * without development dependencies.
 * @param folders folders that the image is assembled from, such as `apps/notify-svc`
 */
export function packagesInImage(root: string, folders: readonly string[]): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  /** Finds a dependency of a package where Node looks for it: next to the package, or in the nearest parent folder. */
  const find = (from: string, name: string): string | null => {
    for (let folder = from; ; folder = folder.replace(/(^|\/)(node_modules\/)?(@[^/]+\/)?[^/]+$/, "")) {
      const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
      const found = packages[path];
      if (found !== undefined) return found.link === true ? (found.resolved ?? null) : path;
      if (folder === "") return null;
    }
  };
  const seen = new Set<string>();
  const names = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = find(path, name);
      if (found === null) continue;
      names.add(name);
      visit(found);
    }
  };
  for (const folder of folders) visit(folder);
  return names;
}
