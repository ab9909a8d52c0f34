import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const startWorker = fileURLToPath(new URL("../src/start-worker.ts", import.meta.url));

/** A worker in a process of its own, which a test may kill. */
export type WorkerProcess = {
  /** Sends SIGKILL, as if the machine were lost. */
  kill(): Promise<void>;
  /** Sends SIGSTOP; until `resume`, it is as if the machine were suspended. */
  pause(): void;
  resume(): void;
  /** Asks it to stop; returns its exit code. */
  stop(): Promise<number | null>;
};

/** Starts a worker as production does. It gets only the given settings, and of this process's environment only PATH. */
export function spawnWorker(env: Record<string, string>): WorkerProcess {
  const child: ChildProcess = spawn(process.execPath, [startWorker], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const exited = once(child, "exit");
  return {
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}
