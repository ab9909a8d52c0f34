import { expect, test } from "vitest";
import { logPathOf, readStackProcesses } from "./one-process.ts";

test.each([
  [{}, "each"],
  [{ STACK_PROCESSES: "" }, "each"],
  [{ STACK_PROCESSES: "each" }, "each"],
  [{ STACK_PROCESSES: "one" }, "one"],
] as const)("reads %j as %s", (env, expected) => {
  expect(readStackProcesses(env)).toBe(expected);
});

test("refuses any other value by name", () => {
  expect(() => readStackProcesses({ STACK_PROCESSES: "two" })).toThrow("STACK_PROCESSES must be one or each, not two");
});

test("writes the log lines of each part to the part's own file, and all others to the process's", () => {
  const line = (service: string): string =>
    `{"level":"warn","time":"2027-01-31T09:00:00.000Z","service":"${service}","msg":"x"}`;
  expect(logPathOf("/s", line("events-svc-worker"))).toBe("/s/logs/events-svc-worker.log");
  expect(logPathOf("/s", line("platform"))).toBe("/s/logs/platform.log");
  expect(logPathOf("/s", line("../evil"))).toBe("/s/logs/platform.log");
  expect(logPathOf("/s", "Error: out of memory")).toBe("/s/logs/platform.log");
});
