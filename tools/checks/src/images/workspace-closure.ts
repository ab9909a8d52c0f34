import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

type PackageJson = { name?: string; workspaces?: string[]; dependencies?: Record<string, string> };

const read = (path: string): PackageJson => JSON.parse(readFileSync(path, "utf8")) as PackageJson;

/** Folders of the workspaces an app needs at run time, the app's own first: its dependencies and theirs, without development ones. */
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
