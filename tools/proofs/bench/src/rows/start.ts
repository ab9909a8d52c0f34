import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePortBase } from "@platform/stack/ports";
import { repositoryRoot } from "@platform/stack/stack";
import type { LoadSample } from "../load/sample.ts";
import { processName, processTree, readOrEmpty } from "../process-tree.ts";
import { type Bench, type Check, type Contender, type Measured, medianOf, type Row } from "../row.ts";

const one = "STACK_PROCESSES=one make run, warm to READY";
const each = "make run, warm to READY";
const bin = "platformctl by its bin, CPU time";
const npx = "npx platformctl, CPU time";
const memoryOf = (name: string): string => name.replace("warm to READY", "memory of all processes");

/** Measures time and memory of the start of the local stack without Prometheus, and of one platformctl command. */
export const startRow: Row = {
  id: "START",
  title: "Start of the local stack without Prometheus, and of a command of the CLI; less is better",
  run: async (bench) => {
    const memory = new Map<string, LoadSample[]>();
    const measured = await bench.measure([
      ...(await Promise.all([stackContender(bench, one, "one", memory), stackContender(bench, each, "each", memory)])),
      cliContender(bin, join(repositoryRoot, "node_modules/.bin/platformctl")),
      cliContender(npx, "npx platformctl"),
    ]);
    // The first sample of each contender is the warm-up.
    const resident = [one, each].map(
      (name): Measured => ({
        ...{ name: memoryOf(name), role: "ours", unit: "MiB", samples: (memory.get(name) ?? []).slice(1) },
      }),
    );
    const all = [...measured, ...resident];
    return {
      measured: all,
      checks: [atMost(all, one, 5, "s"), atMost(all, memoryOf(one), 1_024, "MiB"), atMost(all, bin, 0.2, "s of CPU")],
      notes: [
        "READY is the last line that `make run` prints, after the demo requests. Warm: the stack has started before in the same folder. Memory is the proportional set size, in which shared pages count once.",
      ],
    };
  },
};

function atMost(measured: readonly Measured[], name: string, most: number, unit: string): Check {
  const value = medianOf(measured, name);
  return { text: `${name} ≤ ${most} ${unit}`, value: `${value.toFixed(2)} ${unit}`, met: value <= most };
}

/** Creates a sample whose figure is not a rate, but seconds or mebibytes. */
const figure = (perSecond: number): LoadSample => ({
  ...{ count: 1, perSecond, p50Ms: 0, p99Ms: 0, maxMs: 0, refusals: {} },
});

async function stackContender(
  bench: Bench,
  name: string,
  processes: "one" | "each",
  memory: Map<string, LoadSample[]>,
): Promise<Contender> {
  const directory = await mkdtemp(join(tmpdir(), "bench-start-"));
  bench.defer(() => rm(directory, { recursive: true, force: true }));
  const run = async (): Promise<LoadSample> => {
    const settings = { STACK_DIR: directory, STACK_PROCESSES: processes, STACK_MONITORING: "off" };
    const env = { ...process.env, ...settings, STACK_PORT_BASE: `${await freePortBase()}` };
    const startedAtMs = performance.now();
    const stack = spawn("make", ["--no-print-directory", "run"], {
      ...{ cwd: repositoryRoot, env, stdio: ["ignore", "pipe", "inherit"] },
    });
    try {
      await readyLine(stack);
      const seconds = (performance.now() - startedAtMs) / 1_000;
      memory.set(name, [...(memory.get(name) ?? []), figure(treeMib(stack.pid ?? 0))]);
      return figure(seconds);
    } finally {
      await interrupted(stack);
    }
  };
  return { name, role: "ours", unit: "s", run };
}

function readyLine(stack: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stack.stdout === null) throw new Error("its output is not read");
    createInterface({ input: stack.stdout }).on("line", (line) => {
      if (line.startsWith("READY ")) resolve();
    });
    stack.once("exit", (code) => reject(new Error(`the stack ended with ${code} before it was ready`)));
  });
}

/** Interrupts only the stack below make, because make and its shell would otherwise end before the stack has stopped. */
async function interrupted(made: ChildProcess): Promise<void> {
  if (made.exitCode !== null || made.signalCode !== null || made.pid === undefined) return;
  const exited = once(made, "exit");
  for (const pid of processTree(made.pid))
    if (processName(readOrEmpty(`/proc/${pid}/cmdline`)) === "stack") process.kill(pid, "SIGINT");
  await exited;
}

/** Returns the proportional set size of a process and all its descendants in MiB. */
function treeMib(root: number): number {
  const sizes = processTree(root).map((pid) => proportionalKib(readOrEmpty(`/proc/${pid}/smaps_rollup`)));
  return sizes.reduce((sum, kib) => sum + kib, 0) / 1_024;
}

/** Reads the proportional set size in KiB from a `smaps_rollup` (proc_pid_smaps_rollup(5)). Returns 0 if it contains none. */
export function proportionalKib(rollup: string): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0);
}

/** Measures the CPU time of one command that needs no stack: user plus system time. */
function cliContender(name: string, command: string): Contender {
  const run = async (): Promise<LoadSample> => {
    const printed = execFileSync("bash", ["-c", `TIMEFORMAT='%3U %3S'; { time ${command} --help >/dev/null; } 2>&1`], {
      ...{ cwd: repositoryRoot, encoding: "utf8" },
    });
    return figure(cpuSeconds(printed));
  };
  return { name, role: "ours", unit: "s", run };
}

/** Returns the sum of the last two figures that bash's `time` prints. */
export function cpuSeconds(printed: string): number {
  const [user = Number.NaN, system = Number.NaN] = (printed.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return user + system;
}
