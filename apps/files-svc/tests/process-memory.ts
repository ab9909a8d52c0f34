import { readdirSync, readFileSync } from "node:fs";

/** Watches the memory of a process and its children. `stop` returns the largest growth in bytes. */
export function watchMemory(pid: number): { stop(): number } {
  const before = ownBytes(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, ownBytes(pid));
  }, 10);
  return {
    stop: () => {
      clearInterval(timer);
      return most - before;
    },
  };
}

/** The memory that only a process and its children use (RssAnon and RssShmem), in bytes; 0 if the process has ended. */
function ownBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const figure = (name: string): number => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return children.reduce((sum, child) => sum + ownBytes(child), figure("RssAnon") + figure("RssShmem"));
  } catch {
    return 0;
  }
}
