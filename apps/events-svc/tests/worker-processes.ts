import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { endChild } from "@platform/test-kit/test-process";

const entry = fileURLToPath(new URL("./clocked-worker.ts", import.meta.url));

/** Starts and kills worker processes. All of them share a clock that the test sets. */
export function workerProcesses(env: Record<string, string>, begin: Date) {
  let now = begin;
  const running: ChildProcess[] = [];
  return {
    /** Starts a worker, and resolves once it is working. */
    start: async (): Promise<void> => {
      const child = fork(entry, [], {
        env: { ...env, CLOCK_MS: `${now.getTime()}` },
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      });
      const exited = once(child, "exit").then(([code]) => Promise.reject(new Error(`a worker ended with ${code}`)));
      await Promise.race([once(child, "message"), exited]);
      // The test ends the process itself later, so its end is not an error.
      exited.catch(() => {});
      child.send(now.getTime());
      running.push(child);
    },
    setClock: (time: Date): void => {
      now = time;
      for (const child of running) child.send(time.getTime());
    },
    /** Kills the worker that has been running for longest with SIGKILL, as if its machine had crashed. */
    killOldest: async (): Promise<void> => {
      const child = running.shift();
      if (child === undefined) return;
      await endChild(child);
    },
    count: () => running.length,
  };
}
