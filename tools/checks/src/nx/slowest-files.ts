import { relative } from "node:path";
import { repositoryRoot } from "../source-files.ts";

/** The fields of vitest's test modules that this reporter reads. Durations are in milliseconds. */
type TestModule = {
  readonly moduleId: string;
  diagnostic(): { readonly collectDuration: number; readonly setupDuration: number; readonly duration: number };
};

const shown = 5;

/** A reporter of vitest that prints the files that took longest, with the seconds of each: its imports, hooks and tests. */
export default class SlowestFiles {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const msOf = (module: TestModule): number => {
      const { collectDuration, setupDuration, duration } = module.diagnostic();
      return collectDuration + setupDuration + duration;
    };
    const slowest = modules.toSorted((one, other) => msOf(other) - msOf(one)).slice(0, shown);
    console.log("slowest files");
    for (const module of slowest) {
      const seconds = (msOf(module) / 1000).toFixed(1);
      console.log(`${seconds.padStart(7)} s  ${relative(repositoryRoot, module.moduleId)}`);
    }
  }
}
