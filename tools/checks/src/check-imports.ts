import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";
import { folderRules } from "./folder-rules.ts";
import { envReaders, fileLinesMax, rejectedNames, workspaceRules } from "./import-rules.ts";
import { libraryRules, testPackages } from "./library-rules.ts";
import { readSource, repositoryRoot, sourceFiles } from "./source-files.ts";

/** The properties of a file that the rules need: its path, its imports (including types), and its text. */
export type SourceFile = { readonly path: string; readonly imports: readonly string[]; readonly text: string };

/** The packages that a workspace's package.json declares. */
type DeclaredPackages = (folder: string) => ReadonlySet<string>;

/** Returns the violations of the import rules in the repository, one line each. */
export function checkImports(): string[] {
  return importProblems(sourceFiles().map((path) => parseSource(path, readSource(path))));
}

/** Returns the violations of import-rules.ts in `files`. Every import that is not listed is a violation. */
export function importProblems(files: readonly SourceFile[], declared: DeclaredPackages = declaredPackages): string[] {
  return [...files.flatMap((file) => fileProblems(file, declared)), ...fileCycles(files), ...folderCycles(files)];
}

/** Reads the imports of a file, including dynamic ones with literal names. */
export function parseSource(path: string, text: string): SourceFile {
  const { module } = parseSync(path, text);
  const imports = [
    ...module.staticImports.map((item) => item.moduleRequest.value),
    ...module.staticExports.flatMap((item) =>
      item.entries.flatMap((entry) => (entry.moduleRequest ? [entry.moduleRequest.value] : [])),
    ),
    ...module.dynamicImports
      .map((item) => text.slice(item.moduleRequest.start, item.moduleRequest.end))
      .flatMap((source) => /^(["'])(.*)\1$/.exec(source)?.[2] ?? []),
  ];
  return { path, imports: [...new Set(imports)], text };
}

const isTest = (path: string): boolean => /\.test\.ts$|\/tests?\/|^tests\//.test(path);

function fileProblems(file: SourceFile, declared: DeclaredPackages): string[] {
  const { path, imports, text } = file;
  const problems: string[] = [];
  const rule = workspaceRules.find(({ folder }) => path.startsWith(`${folder}/`));
  if (rule === undefined && path.includes("/"))
    problems.push(`${path}: its workspace has no import rule (tools/checks/src/import-rules.ts)`);
  const location = locate(path);
  if (location !== null && folderRules[location.workspace]?.[location.folder] === undefined)
    problems.push(`${path}: the folder ${location.folder} of ${location.workspace} has no import rule`);
  for (const specifier of imports) {
    const broken = specifier.startsWith(".")
      ? relativeProblem(path, specifier, rule?.folder)
      : packageProblem(path, specifier, rule, declared);
    if (broken !== null) problems.push(`${path}: ${broken}`);
  }
  if (!isTest(path) && /\bprocess\.env\b/.test(text) && !envReaders.some((pattern) => pattern.test(path))) {
    problems.push(`${path}: only entry points and config.ts read process.env`);
  }
  const lines = text.split("\n").length - 1;
  if (lines > fileLinesMax) problems.push(`${path}: ${lines} lines; at most ${fileLinesMax}`);
  const names = path.replace(/\.ts$/, "").split("/");
  for (const name of names) if (rejectedNames.includes(name)) problems.push(`${path}: the name "${name}" says nothing`);
  return problems;
}

/**
 * Returns the folder of a workspace's `src` that contains a source file, or `.` for files at the root of `src`. Returns null for tests and for files outside
 * of `src`.
 */
function locate(path: string): { readonly workspace: string; readonly folder: string } | null {
  if (isTest(path)) return null;
  const [, workspace, below] = /^(tools\/(?:local|proofs)\/[^/]+|[^/]+\/[^/]+)\/src\/(.+)$/.exec(path) ?? [];
  if (workspace === undefined || below === undefined) return null;
  return { workspace, folder: below.includes("/") ? (below.split("/")[0] ?? ".") : "." };
}

function relativeProblem(path: string, specifier: string, workspace: string | undefined): string | null {
  const target = normalize(join(dirname(path), specifier));
  if (workspace !== undefined && !target.startsWith(`${workspace}/`))
    return `${specifier} leaves the workspace; import the package`;
  const from = locate(path);
  const to = locate(target);
  if (from === null || to === null || from.folder === to.folder) return null;
  if (folderRules[from.workspace]?.[from.folder]?.includes(to.folder) === true) return null;
  return `${from.folder} may not import ${to.folder} (${specifier})`;
}

function packageProblem(
  path: string,
  specifier: string,
  rule: (typeof workspaceRules)[number] | undefined,
  declared: DeclaredPackages,
): string | null {
  if (specifier.startsWith("node:")) return null;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (
    rule !== undefined &&
    !declared(rule.folder).has(name) &&
    !(isTest(path) && declared(".").has(name)) &&
    !isOwnPackage(rule.folder, name)
  ) {
    return `${name} is not in ${rule.folder}/package.json`;
  }
  if (name.startsWith("@platform/")) {
    const door = `.${specifier.slice(name.length)}`;
    const doors = doorsOf(name);
    if (door !== "." && doors !== null && !doors.some((pattern) => opens(pattern, door)))
      return `${specifier} is no door of ${name}; its package.json exports ${doors.join(", ")}`;
    if (rule !== undefined && (rule.mayImport.includes(name) || isOwnPackage(rule.folder, name))) return null;
    return isTest(path) && testPackages.includes(name) ? null : `may not import ${name}`;
  }
  const library = libraryRules.find((candidate) => candidate.library === name);
  if (library === undefined || isTest(path) || library.mayImport.some((pattern) => pattern.test(path))) return null;
  return `${name} belongs elsewhere (tools/checks/src/import-rules.ts)`;
}

type Manifest = {
  readonly exports?: object;
  readonly dependencies?: object;
  readonly devDependencies?: object;
  readonly peerDependencies?: object;
};
const manifests = new Map<string, Manifest>();

function manifestOf(folder: string): Manifest {
  const known = manifests.get(folder);
  if (known !== undefined) return known;
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8")) as Manifest;
  manifests.set(folder, manifest);
  return manifest;
}

const packages = new Map<string, Set<string>>();

function declaredPackages(folder: string): Set<string> {
  const known = packages.get(folder);
  if (known !== undefined) return known;
  const { dependencies, devDependencies, peerDependencies } = manifestOf(folder);
  const names = new Set([dependencies, devDependencies, peerDependencies].flatMap((group) => Object.keys(group ?? {})));
  packages.set(folder, names);
  return names;
}

/**
 * Returns the exports of a package of the repository, such as `./rpc/client` or `./*`, or null if no workspace rule lists the package.
 */
function doorsOf(name: string): readonly string[] | null {
  const folder = workspaceRules.find((rule) => isOwnPackage(rule.folder, name))?.folder;
  return folder === undefined ? null : Object.keys(manifestOf(folder).exports ?? {});
}

/**
 * True if an entry of `exports` matches a subpath. A `*` in it matches any text
 * (https://nodejs.org/api/packages.html#subpath-patterns).
 */
function opens(pattern: string, door: string): boolean {
  const [before = "", after] = pattern.split("*", 2);
  if (after === undefined) return pattern === door;
  return door.startsWith(before) && door.endsWith(after) && door.length > before.length + after.length;
}

function isOwnPackage(folder: string, name: string): boolean {
  return `@platform/${folder.split("/").at(-1)}` === name;
}

function relativeTargets({ path, imports }: SourceFile): string[] {
  return imports.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(path), name)));
}

function fileCycles(files: readonly SourceFile[]): string[] {
  return cyclesOf(new Map(files.map((file) => [file.path, relativeTargets(file)])), "import cycle");
}

/** Finds cycles between the folders of a workspace. They may exist without any cycle between files. */
function folderCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map<string, string[]>();
  for (const file of files) {
    const from = locate(file.path);
    if (from === null || from.folder === ".") continue;
    const name = `${from.workspace}/src/${from.folder}`;
    for (const target of relativeTargets(file)) {
      const to = locate(target);
      if (to === null || to.folder === "." || to.folder === from.folder) continue;
      edges.set(name, [...(edges.get(name) ?? []), `${to.workspace}/src/${to.folder}`]);
    }
  }
  return cyclesOf(edges, "cycle between folders");
}

/** Finds the cycles of a graph. Each is reported once, as a list of its nodes. */
function cyclesOf(edges: ReadonlyMap<string, readonly string[]>, what: string): string[] {
  const done = new Set<string>();
  const cycles = new Set<string>();
  const visit = (node: string, trail: readonly string[]): void => {
    const at = trail.indexOf(node);
    if (at >= 0) {
      cycles.add(`${what}: ${[...trail.slice(at), node].join(" -> ")}`);
      return;
    }
    if (done.has(node)) return;
    for (const next of edges.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
  return [...cycles];
}
