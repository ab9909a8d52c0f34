import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";
import {
  envReaders,
  fileLinesMax,
  layerRules,
  libraryRules,
  rejectedNames,
  testPackages,
  workspaceRules,
} from "./import-rules.ts";
import { readSource, repositoryRoot, sourceFiles } from "./source-files.ts";

type SourceFile = { readonly path: string; readonly imports: readonly string[]; readonly text: string };

/** Where imports break the rules, one line each. */
export function checkImports(): string[] {
  const files = sourceFiles().map(parseFile);
  return [...files.flatMap(checkFile), ...findCycles(files)];
}

function parseFile(path: string): SourceFile {
  const text = readSource(path);
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

function checkFile(file: SourceFile): string[] {
  const { path, imports, text } = file;
  const problems: string[] = [];
  const isTest = /\.test\.ts$|\/tests?\/|^tests\//.test(path);
  const rule = workspaceRules.find(({ folder }) => path.startsWith(`${folder}/`));
  if (rule === undefined && path.includes("/"))
    problems.push(`${path}: its folder has no import rule (tools/checks/src/import-rules.ts)`);
  for (const specifier of imports) {
    const broken = specifier.startsWith(".")
      ? checkRelative(path, specifier, rule?.folder)
      : checkPackage(path, specifier, rule, isTest);
    if (broken !== null) problems.push(`${path}: ${broken}`);
  }
  if (!isTest && /\bprocess\.env\b/.test(text) && !envReaders.some((pattern) => pattern.test(path))) {
    problems.push(`${path}: only entry points and config.ts read process.env`);
  }
  const lines = text.split("\n").length - 1;
  if (lines > fileLinesMax) problems.push(`${path}: ${lines} lines; at most ${fileLinesMax}`);
  const names = path.replace(/\.ts$/, "").split("/");
  for (const name of names) if (rejectedNames.includes(name)) problems.push(`${path}: the name "${name}" says nothing`);
  return problems;
}

function checkRelative(path: string, specifier: string, folder: string | undefined): string | null {
  const target = normalize(join(dirname(path), specifier));
  if (folder !== undefined && !target.startsWith(`${folder}/`))
    return `${specifier} leaves the workspace; import the package`;
  const [, app, from] = /^apps\/([^/]+-svc)\/src\/([^/]+)\//.exec(path) ?? [];
  const [, , to] = /^apps\/([^/]+-svc)\/src\/([^/]+)\//.exec(target) ?? [];
  if (app === undefined || from === undefined || to === undefined || from === to) return null;
  const allowed = layerRules[from];
  if (allowed !== undefined && to in layerRules && !allowed.includes(to))
    return `${from}/ may not import ${to}/ (${specifier})`;
  return null;
}

function checkPackage(
  path: string,
  specifier: string,
  rule: (typeof workspaceRules)[number] | undefined,
  isTest: boolean,
): string | null {
  if (specifier.startsWith("node:")) return null;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (
    rule !== undefined &&
    !declaredPackages(rule.folder).has(name) &&
    !(isTest && declaredPackages(".").has(name)) &&
    !isOwnPackage(rule.folder, name)
  ) {
    return `${name} is not in ${rule.folder}/package.json`;
  }
  if (name.startsWith("@platform/")) {
    if (rule === undefined || rule.mayImport.includes(name) || isOwnPackage(rule.folder, name)) return null;
    return isTest && testPackages.includes(name) ? null : `may not import ${name}`;
  }
  const library = libraryRules.find((candidate) => candidate.library === name);
  if (library === undefined || isTest || library.mayImport.some((pattern) => pattern.test(path))) return null;
  return `${name} belongs elsewhere (tools/checks/src/import-rules.ts)`;
}

const packages = new Map<string, Set<string>>();

function declaredPackages(folder: string): Set<string> {
  const known = packages.get(folder);
  if (known !== undefined) return known;
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8")) as {
    name?: string;
    dependencies?: object;
    devDependencies?: object;
    peerDependencies?: object;
  };
  const names = new Set(
    [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies].flatMap((group) =>
      Object.keys(group ?? {}),
    ),
  );
  packages.set(folder, names);
  return names;
}

function isOwnPackage(folder: string, name: string): boolean {
  return `@platform/${folder.split("/").at(-1)}` === name;
}

/** Circles of relative imports: each is reported once, as the files on it. */
function findCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      file.imports.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(file.path), name))),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      cycles.push(`import cycle: ${[...trail.slice(at), path].join(" -> ")}`);
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}
