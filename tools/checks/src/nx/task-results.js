import { writeFileSync } from "node:fs";
import { linesMarked, skippedMark, warningMark } from "./marked-lines.ts";

// A plugin of Nx (nx.json): writes each task's result into the file that TASK_RESULTS names.

export const name = "task-results";

/** @type {import("nx/src/devkit-exports").PostTasksExecution} */
export function postTasksExecution(_options, { taskResults }) {
  const file = process.env.TASK_RESULTS;
  if (file === undefined) return;
  const results = Object.entries(taskResults).map(([id, { status, terminalOutput = "" }]) => ({
    id,
    status,
    output: status === "failure" ? terminalOutput : "",
    notChecked: linesMarked(skippedMark, terminalOutput),
    warnings: linesMarked(warningMark, terminalOutput),
  }));
  writeFileSync(file, JSON.stringify(results));
}
