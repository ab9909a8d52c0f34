import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { repositoryRoot } from "../source-files.ts";

export type Counts = { passed: number; failed: number; skipped: number };

/** The fields of vitest's JSON report that this file reads. */
export type Report = {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numPendingTests?: number;
  readonly numTodoTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly message?: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
};

/**
 * Returns the path of the report about a ring's run on one project, named by its folder, or on several. Nx restores the report of a project together with a
 * cached result.
 */
export function reportPath(ring: string, folder: string): string {
  return join(repositoryRoot, ".local/test-reports", ring, `${folder}.json`);
}

/** Returns the folders of the projects whose package.json has the target. */
export function projectsWith(target: string): string[] {
  const { workspaces } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
    readonly workspaces: readonly string[];
  };
  const manifests = workspaces.map((pattern) => `${pattern}/package.json`);
  return globSync(manifests, { cwd: repositoryRoot })
    .filter((path) => {
      const { nx } = JSON.parse(readFileSync(join(repositoryRoot, path), "utf8")) as {
        readonly nx?: { readonly targets?: Readonly<Record<string, object>> };
      };
      return nx?.targets?.[target] !== undefined;
    })
    .map(dirname)
    .sort();
}

/** Reads a project's report. Returns null if its run created none. */
export function readReport(ring: string, folder: string): Report | null {
  const path = reportPath(ring, folder);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Report) : null;
}

export function countsOf(report: Report): Counts {
  return {
    passed: report.numPassedTests ?? 0,
    failed: report.numFailedTests ?? 0,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
  };
}

/** Returns the folders of the projects that have at least one passed test. */
export function passedFolders(report: Report | null): ReadonlySet<string> {
  const passed = (report?.testResults ?? []).filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === "passed"),
  );
  return new Set(projectFolders(passed.map(({ name }) => relative(repositoryRoot, name))));
}

/**
 * Returns the folder of the project that contains a path: `proto`, the first two folders of the path, or the first three below `tools/local` and
 * `tools/proofs`.
 */
export function projectFolders(paths: readonly string[]): string[] {
  const depthOf = (path: string): number => {
    if (path.startsWith("proto/")) return 1;
    return /^tools\/(local|proofs)\//.test(path) ? 3 : 2;
  };
  return paths.map((path) => path.split("/", depthOf(path)).join("/"));
}

/** Returns one line for each test that did not run, for example because the set-up of its file failed. */
export function skippedOf(ring: string, report: Report): string[] {
  return (report.testResults ?? []).flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `skipped: ${ring} ${relative(repositoryRoot, file.name)} "${fullName}"`),
  );
}

/** Returns one line for each test or file that failed, with the first lines of the reason. */
export function failuresOf(ring: string, report: Report): string[] {
  return (report.testResults ?? []).flatMap((file) => {
    const line = (what: string, why: string | undefined): string =>
      `failed: ${ring} ${relative(repositoryRoot, file.name)} ${what}: ${(why ?? "").split("\n", 3).join(" | ")}`;
    const tests = file.assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => line(`"${test.fullName}"`, test.failureMessages?.[0]));
    return tests.length === 0 && file.status === "failed" ? [line("(the file)", file.message)] : tests;
  });
}
