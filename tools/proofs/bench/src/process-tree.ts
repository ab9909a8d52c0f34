import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** Returns the ids of a process and of all its descendants. */
export function processTree(root: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const status = readOrEmpty(`/proc/${entry}/status`);
    parents.set(Number(entry), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  }
  const isBelow = (pid: number): boolean => pid === root || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(isBelow);
}

/** Reads a file, or returns an empty text if it does not exist, because a process may end between two reads. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Linux states times in `/proc` in units of 1/100 s on every architecture (USER_HZ). */
const ticksPerSecond = 100;

/** Reads the CPU time in seconds, user and system, from a `stat` (proc_pid_stat(5)). Returns 0 if it contains none. */
export function cpuSecondsOf(stat: string): number {
  // The name of the program is in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond;
}

/**
 * Names a process by its arguments: a script of a package by the package and the file, such as `events-svc start-worker`, and any other by its file.
 * @param commandLine arguments separated by NUL, as in `/proc/<pid>/cmdline`
 */
export function processName(commandLine: string): string {
  const [command = "", ...args] = commandLine.split("\0");
  const script = args.find((arg) => /\.(ts|[cm]?js|jar)$/.test(arg));
  const [, part, file] = /([^/]+)\/src\/(.+)\.ts$/.exec(script ?? "") ?? [];
  if (part !== undefined && file !== undefined) return file === "main" ? part : `${part} ${file}`;
  return basename((script ?? command).split(" ")[0] ?? "");
}

/** CPU time in seconds by the name of the process. */
export type CpuTimes = ReadonlyMap<string, number>;

/** Starts to measure the CPU time of this process and its descendants. The returned function returns what they have used since. */
export function watchCpu(): () => CpuTimes {
  const read = (): Map<number, number> =>
    new Map(processTree(process.pid).map((pid) => [pid, cpuSecondsOf(readOrEmpty(`/proc/${pid}/stat`))]));
  const before = read();
  return () => {
    const used = new Map<string, number>();
    for (const [pid, seconds] of read()) {
      const name = processName(readOrEmpty(`/proc/${pid}/cmdline`));
      used.set(name, (used.get(name) ?? 0) + seconds - (before.get(pid) ?? 0));
    }
    return used;
  };
}
