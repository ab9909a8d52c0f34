import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";

const taskset = ["/usr/bin/taskset", "/bin/taskset"].find((path) => existsSync(path));
const chrt = ["/usr/bin/chrt", "/bin/chrt"].find((path) => existsSync(path));

/** Processor cores of this machine. */
export const coreCount = availableParallelism();

/**
 * True if processes may be bound to cores, which requires four cores and taskset. With `PIN=0`, for machines that also do other work, the kernel decides.
 */
export const canPin = taskset !== undefined && coreCount >= 4 && process.env.PIN !== "0";

/**
 * Binds a running process with all its threads to cores; does nothing if that is impossible.
 * @param cores in the syntax of taskset: `0`, `1-2`
 */
export function pinToCores(pid: number | undefined, cores: string): void {
  if (!canPin || pid === undefined) return;
  execFileSync(taskset ?? "", ["-acp", cores, `${pid}`], { stdio: "ignore" });
}

/**
 * Gives a running process with all its threads priority over all others (SCHED_RR, sched(7)).
 * @returns false if that is impossible: it requires chrt, and root or CAP_SYS_NICE
 */
export function preferToOthers(pid: number | undefined): boolean {
  return schedule(pid, "--rr", 1);
}

/**
 * Lets a running process with all its threads run only while the processor is idle. Other processes interrupt it immediately (SCHED_IDLE, sched(7)).
 * @returns false if that is impossible: it requires chrt
 */
export function yieldToOthers(pid: number | undefined): boolean {
  return schedule(pid, "--idle", 0);
}

function schedule(pid: number | undefined, policy: "--rr" | "--idle", priority: number): boolean {
  if (chrt === undefined || pid === undefined) return false;
  try {
    execFileSync(chrt, ["--all-tasks", policy, "--pid", `${priority}`, `${pid}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
