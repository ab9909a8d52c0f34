import { existsSync, readFileSync, writeFileSync } from "node:fs";

const kernelSetting = "/proc/sys/kernel/sched_autogroup_enabled";

/**
 * Lets priorities apply to all processes that are started from now on. By default, Linux divides the processor equally
 * among sessions (autogroups in sched(7)): the niceness of a process, and SCHED_IDLE, then count only among the processes
 * of its own session, and each process of the platform has a session of its own.
 * @param path the kernel's setting; a kernel without it has no autogroups
 * @returns a function that restores the setting
 * @throws Error if the setting cannot be changed
 */
export function disableAutogroups(path: string = kernelSetting): () => void {
  if (!existsSync(path)) return () => {};
  const before = readFileSync(path, "utf8");
  if (before.trim() === "0") return () => {};
  try {
    writeFileSync(path, "0\n");
  } catch (error) {
    const advice = "run it as root, or set it before: sysctl kernel.sched_autogroup_enabled=0";
    throw new Error(`${path} cannot be changed, and without that no priority has an effect; ${advice}`, {
      cause: error,
    });
  }
  return () => writeFileSync(path, before);
}
