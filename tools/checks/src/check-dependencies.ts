import { globSync } from "node:fs";
import { dirname } from "node:path";
import { readSource, repositoryFiles, repositoryRoot } from "./source-files.ts";

/** Packages that are needed without being imported, by workspace, each with the reason. */
const unimported: Readonly<Record<string, readonly string[]>> = {
  // The version the generator works with; it asks for one beside itself.
  "libs/client": ["typescript"],
  // Started by its path.
  "tools/stack": ["@platform/platformctl"],
  // What kubernetes-models asks for beside itself, and a program.
  "tools/checks": ["@kubernetes-models/validate", "kustomize"],
};

type Manifest = {
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

/**
 * Packages that a workspace declares and does not import: they are installed, shipped in images and audited for nothing. That every import
 * is declared is judged with the imports.
 */
export function checkDependencies(): string[] {
  const { workspaces = [] } = JSON.parse(readSource("package.json")) as Manifest;
  const folders = workspaces.flatMap((pattern) =>
    globSync(`${pattern}/package.json`, { cwd: repositoryRoot }).map((path) => dirname(path)),
  );
  const sources = repositoryFiles().filter((path) => /\.(m?[jt]s)$/.test(path));
  return folders.flatMap((folder) => {
    const { dependencies, devDependencies } = JSON.parse(readSource(`${folder}/package.json`)) as Manifest;
    const texts = sources.filter((path) => path.startsWith(`${folder}/`)).map(readSource);
    return unusedPackages(Object.keys({ ...dependencies, ...devDependencies }), texts)
      .filter((name) => unimported[folder]?.includes(name) !== true)
      .map((name) => `${folder}/package.json declares ${name}, which nothing there imports`);
  });
}

/** The names that no text imports: as `name` or `name/…` in quotes, so that names put together at run time count by their beginning. */
export function unusedPackages(names: readonly string[], texts: readonly string[]): string[] {
  return names.filter((name) => {
    const types = /^@types\/(.+)$/
      .exec(name)?.[1]
      ?.replace("__", "/")
      .replace(/^([^/]+)\/(.+)$/, "@$1/$2");
    const imported = types ?? name;
    const quoted = ['"', "'", "`"].flatMap((quote) => [`${quote}${imported}${quote}`, `${quote}${imported}/`]);
    return !texts.some((text) => quoted.some((form) => text.includes(form)));
  });
}
