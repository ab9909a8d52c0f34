import { expect, test } from "vitest";
import { cpuSecondsOf, processName, processTree, watchCpu } from "./process-tree.ts";

test("adds user and system time of a program whose name contains parentheses", () => {
  const stat = "7 (a) (b c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 9 9 20 0 11 0 100 1000 200\n";
  expect(cpuSecondsOf(stat)).toBe(3);
});

test("counts a process that has ended as 0", () => {
  expect(cpuSecondsOf("")).toBe(0);
});

test.each([
  ["node\0--flag\0/a/apps/gateway/src/main.ts\0", "gateway"],
  ["node\0/a/apps/events-svc/src/start-worker.ts\0", "events-svc start-worker"],
  ["node\0/a/tools/proofs/bench/src/load/worker.ts\0", "bench load/worker"],
  ["node\0/a/tools/proofs/bench/peers/fastify-stack.mjs\0", "fastify-stack.mjs"],
  ["redis-server 127.0.0.1:6379\0", "redis-server"],
  ["/usr/bin/tusd\0-port\x001\0", "tusd"],
])("names the process with the arguments %j", (commandLine, name) => {
  expect(processName(commandLine)).toBe(name);
});

test("measures the CPU time of this process", () => {
  expect(processTree(process.pid)).toContain(process.pid);
  const used = watchCpu();
  // Not a duration: on a busy machine, this process may get little processor time in it.
  const startedAt = process.cpuUsage();
  const hasUsedMs = (ms: number): boolean => {
    const { user, system } = process.cpuUsage(startedAt);
    return user + system >= ms * 1_000;
  };
  while (!hasUsedMs(60)) {}
  expect([...used().values()].reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThan(0);
});
