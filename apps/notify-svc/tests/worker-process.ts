import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const startWorker = fileURLToPath(new URL("../src/start-worker.ts", import.meta.url));

/** A worker in its own process, which a test may kill. */
export type WorkerProcess = {
  /** SIGKILL, like a lost machine. */
  kill(): Promise<void>;
  /** SIGSTOP until `resume`, like a suspended machine. */
  pause(): void;
  resume(): void;
  /** Asks it to stop; returns its exit code. */
  stop(): Promise<number | null>;
};

/** Starts a worker as production does. Its settings are the given ones and nothing of this process's environment but PATH. */
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
