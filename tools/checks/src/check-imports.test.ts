import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importProblems, parseSource } from "./check-imports.ts";
import { folderRules } from "./folder-rules.ts";
import { fileLinesMax, workspaceRules } from "./import-rules.ts";
import { testPackages } from "./library-rules.ts";
import { repositoryRoot } from "./source-files.ts";

const everythingDeclared = (): ReadonlySet<string> =>
  new Set([
    "mongoose",
    "mongodb",
    "express",
    "ioredis",
    "zod",
    ...workspaceRules.map(({ folder }) => `@platform/${folder.split("/").at(-1)}`),
  ]);

/** Returns the problems of one file with one import, in a workspace that declares every package. */
function problemsOf(path: string, text: string): string[] {
  return importProblems([parseSource(path, text)], everythingDeclared);
}

const folders = Object.entries(folderRules).flatMap(([workspace, rules]) =>
  Object.entries(rules).map(([folder, mayImport]) => ({ workspace, folder, mayImport, all: Object.keys(rules) })),
);

test("names only folders that exist", () => {
  const gone = folders.filter(({ workspace, folder }) => !existsSync(join(repositoryRoot, workspace, "src", folder)));
  expect(gone.map(({ workspace, folder }) => `${workspace}/src/${folder}`)).toEqual([]);
});

const pathIn = (workspace: string, folder: string): string =>
  folder === "." ? `${workspace}/src/x.ts` : `${workspace}/src/${folder}/x.ts`;
const importOf = (from: string, to: string): string => {
  const up = from === "." ? "." : "..";
  return `import "${to === "." ? `${up}/y.ts` : `${up}/${to}/y.ts`}";`;
};

test.each(folders)(
  "refuses a forbidden import of another folder in $workspace/src/$folder",
  ({ workspace, folder, mayImport, all }) => {
    const forbidden = [...all.filter((name) => name !== folder && !mayImport.includes(name)), "unlisted"];
    for (const to of forbidden) {
      const problems = problemsOf(pathIn(workspace, folder), importOf(folder, to));
      expect(problems).toContainEqual(expect.stringContaining(`${folder} may not import ${to}`));
    }
  },
);

test.each(folders)(
  "allows the imports listed for $workspace/src/$folder, also in its subfolders",
  ({ workspace, folder, mayImport }) => {
    for (const to of mayImport) expect(problemsOf(pathIn(workspace, folder), importOf(folder, to))).toEqual([]);
    if (folder !== ".") expect(problemsOf(`${workspace}/src/${folder}/deep/x.ts`, 'import "../y.ts";')).toEqual([]);
  },
);

test.each(workspaceRules)("refuses an unlisted package in $folder", ({ folder, mayImport }) => {
  const own = `@platform/${folder.split("/").at(-1)}`;
  const forbidden = workspaceRules
    .map((other) => `@platform/${other.folder.split("/").at(-1)}`)
    .filter((name) => name !== own && !mayImport.includes(name))
    // Every file below tests/ counts as a test.
    .filter((name) => !folder.startsWith("tests/") || !testPackages.includes(name));
  for (const name of forbidden) {
    expect(problemsOf(`${folder}/src/x.ts`, `import "${name}";`)).toContainEqual(
      expect.stringContaining(`may not import ${name}`),
    );
  }
});

test("fails for a folder without a rule, and for a workspace without one", () => {
  expect(problemsOf("apps/gateway/src/new-folder/x.ts", "")).toEqual([
    "apps/gateway/src/new-folder/x.ts: the folder new-folder of apps/gateway has no import rule",
  ]);
  expect(problemsOf("apps/new-svc/src/x.ts", "")).toContainEqual(
    expect.stringContaining("its workspace has no import rule"),
  );
});

test.each(["mongoose", "express", "ioredis", "zod", "mongodb"])("refuses %s where it does not belong", (library) => {
  expect(problemsOf("libs/client/src/x.ts", `import "${library}";`)).toContainEqual(
    expect.stringContaining(`${library} belongs elsewhere`),
  );
});

test("refuses a package that the manifest does not declare", () => {
  expect(importProblems([parseSource("apps/gateway/src/x.ts", 'import "left-pad";')], () => new Set())).toContainEqual(
    expect.stringContaining("left-pad is not in apps/gateway/package.json"),
  );
});

test("refuses a relative import out of the workspace", () => {
  expect(problemsOf("apps/gateway/src/x.ts", 'import "../../ads-svc/src/y.ts";')).toContainEqual(
    expect.stringContaining("leaves the workspace"),
  );
});

test("treats types, re-exports and dynamic imports as imports", () => {
  for (const text of ['import type { A } from "left-pad";', 'export * from "left-pad";', 'await import("left-pad");']) {
    expect(importProblems([parseSource("apps/gateway/src/x.ts", text)], () => new Set())).toHaveLength(1);
  }
});

test("reports a cycle between files", () => {
  const files = [
    parseSource("libs/quota/src/a.ts", 'import "./b.ts";'),
    parseSource("libs/quota/src/b.ts", 'import "./a.ts";'),
  ];
  expect(importProblems(files, everythingDeclared)).toEqual([
    "import cycle: libs/quota/src/a.ts -> libs/quota/src/b.ts -> libs/quota/src/a.ts",
  ]);
});

test("reports a cycle between folders without one between files", () => {
  const files = [
    parseSource("apps/ads-svc/src/grpc/a.ts", 'import "../store/b.ts";'),
    parseSource("apps/ads-svc/src/store/c.ts", 'import "../grpc/d.ts";'),
  ];
  expect(importProblems(files, everythingDeclared)).toContainEqual(expect.stringContaining("cycle between folders"));
});

test("refuses process.env outside of entry points, files above the limit and meaningless names", () => {
  expect(problemsOf("apps/ads-svc/src/domain/x.ts", "process.env.A;")).toContainEqual(
    expect.stringContaining("only entry points and config.ts read process.env"),
  );
  expect(problemsOf("apps/ads-svc/src/domain/x.ts", "\n".repeat(fileLinesMax))).toEqual([]);
  expect(problemsOf("apps/ads-svc/src/domain/x.ts", "\n".repeat(fileLinesMax + 1))).toHaveLength(1);
  expect(problemsOf("apps/ads-svc/src/domain/utils.ts", "")).toContainEqual(expect.stringContaining("says nothing"));
});

test("rejects imports that a package does not export, also in tests, and allows its exported entry points", () => {
  for (const path of ["apps/gateway/src/x.ts", "apps/gateway/tests/x.test.ts"])
    expect(problemsOf(path, 'import "@platform/embedded-mongo/commands/find";')).toContainEqual(
      expect.stringContaining("@platform/embedded-mongo/commands/find is no door of @platform/embedded-mongo"),
    );
  expect(problemsOf("apps/gateway/src/x.ts", 'import "@platform/quota/connect-redis";')).toEqual([]);
  expect(problemsOf("tools/platform/src/x.ts", 'import "@platform/gateway/part";')).toEqual([]);
});
