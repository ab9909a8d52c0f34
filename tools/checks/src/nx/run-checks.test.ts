import { expect, test } from "vitest";
import { linesMarked, skippedMark } from "./marked-lines.ts";
import { countTasks } from "./run-checks.ts";
import type { TaskResult } from "./run-nx.ts";

const task = (id: string, status: TaskResult["status"], notChecked: string[] = []): TaskResult => ({
  id,
  status,
  output: "",
  notChecked,
  warnings: [],
});

test("counts a check that skipped a part as skipped, not as passed", () => {
  const tasks = [task("a:lint", "success"), task("a:alerts", "local-cache", ["alert rules not tested: no promtool"])];
  expect(countTasks(0, tasks)).toEqual({ passed: 1, failed: 0, skipped: 1 });
});

test("counts a failed check as failed, even if it skipped a part", () => {
  expect(countTasks(1, [task("a:manifests", "failure", ["overlays not rendered"])])).toEqual({
    passed: 0,
    failed: 1,
    skipped: 0,
  });
});

test("counts a run that failed without a failed task as one failure", () => {
  expect(countTasks(1, [task("a:lint", "success")])).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

test("counts a check that only warns as passed", () => {
  const warned = { ...task("a:prose", "success"), warnings: ["words to reconsider"] };
  expect(countTasks(0, [warned])).toEqual({ passed: 1, failed: 0, skipped: 0 });
});

test("reads from a check's output which parts it skipped", () => {
  expect(linesMarked(skippedMark, "checked\nskipped: overlays not rendered\nnot skipped: x\n")).toEqual([
    "overlays not rendered",
  ]);
});
