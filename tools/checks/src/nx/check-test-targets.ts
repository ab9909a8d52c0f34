import { repositoryFiles } from "../source-files.ts";
import { projectFolders, projectsWith } from "./test-report.ts";

/**
 * Returns tests that no target of Nx runs. A project with tests in `src` needs the target `unit`, and one with tests in
 * `tests` needs `service`, `faults` or `night`.
 */
export function checkTestTargets(files: readonly string[] = repositoryFiles(), having = projectsWith): string[] {
  const problemsOf = (pattern: RegExp, targets: readonly string[]): string[] => {
    const covered = new Set(targets.flatMap((target) => having(target)));
    const tested = new Set(projectFolders(files.filter((path) => pattern.test(path))));
    return [...tested]
      .filter((folder) => !covered.has(folder))
      .map((folder) => `${folder}: its package.json has no target ${oneOf(targets)} for its tests`);
  };
  return [
    ...problemsOf(/^(tools\/(local|proofs)|[^/]+)\/[^/]+\/src\/.*\.test\.ts$/, ["unit"]),
    ...problemsOf(/^(apps|libs|tools|tools\/local|tools\/proofs)\/[^/]+\/tests\/.*\.test\.ts$/, [
      "service",
      "faults",
      "night",
    ]),
  ];
}

const oneOf = (names: readonly string[]): string => names.join(", ").replace(/, ([^,]+)$/, " or $1");
