import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endChild } from "@platform/test-kit/test-process";

const entry = fileURLToPath(new URL("./clocked-worker.ts", import.meta.url));

/** Worker processes on one clock, which the test sets and which it may kill. */
export function workerProcesses(env: Record<string, string>, begin: Date) {
  let now = begin;
  const running: ChildProcess[] = [];
  return {
    /** Starts a worker; resolves when it works. */
    start: async (): Promise<void> => {
      const child = fork(entry, [], {
        env: { ...env, CLOCK_MS: `${now.getTime()}` },
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      const exited = once(child, "exit").then(([code]) => Promise.reject(new Error(`a worker ended with ${code}`)));
      await Promise.race([once(child, "message"), exited]);
      // The test itself ends the process later.
      exited.catch(() => {});
      child.send(now.getTime());
      running.push(child);
    },
    setClock: (time: Date): void => {
      now = time;
      for (const child of running) child.send(time.getTime());
    },
    /** Ends the worker that has run longest with SIGKILL, as a crash of its machine would. */
    killOldest: async (): Promise<void> => {
      const child = running.shift();
      if (child === undefined) return;
      await endChild(child);
    },
    count: () => running.length,
  };
}
