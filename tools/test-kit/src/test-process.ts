import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { defined } from "@platform/kit/process/fields";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

/** A program that a test runs. */
export type TestProcess = {
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGKILL, or the given signal, and waits until the process has ended; returns immediately if it already has. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /**
   * Waits until `isReady`.
   * @throws Error as soon as the process has ended, with its exit code or signal and the last lines of its output
   */
  until(isReady: () => Promise<boolean>, options: { what: string; timeoutMs?: number }): Promise<void>;
};

const tailLines = 10;

/** Starts a program. Its output is kept for the error message if it ends too early. */
export function startTestProcess(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv } = {},
): TestProcess {
  const child: ChildProcess = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let tail: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      tail = [...tail, ...chunk.toString().trimEnd().split("\n")].slice(-tailLines);
    });
  // `close` comes after the last output; it never comes for a program that cannot be started.
  const ended = Promise.race([
    once(child, "close").then(([code, signal]) => `ended with ${signal ?? `code ${code}`}`),
    once(child, "error").then(([error]) => `could not be started: ${(error as Error).message}`),
  ]).catch((error: Error) => `could not be started: ${error.message}`);
  let how: string | null = null;
  void ended.then((text) => {
    how = text;
  });
  return {
    pid: child.pid ?? -1,
    signal: (signal) => void child.kill(signal),
    end: async (signal = "SIGKILL") => {
      child.kill(signal);
      await ended;
    },
    until: async (isReady, { what, timeoutMs }) => {
      const outcome = await eventually(async () => how ?? ((await isReady()) && how === null), {
        what,
        ...defined({ timeoutMs }),
      });
      if (outcome !== true) throw new Error(`${command} ${outcome}:\n${tail.join("\n")}`);
    },
  };
}

/**
 * Sends SIGKILL, or the given signal, to a child process and waits until it has ended; returns immediately if it
 * already has, because `exit` would not be emitted again.
 */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

const portAttempts = 10;

/**
 * Starts a server on a free port, and on another one if the port is taken first.
 * @param start rejects with the server's output if it ends
 */
export async function startOnFreePort<T>(start: (port: number) => Promise<T>, nextPort = freePort): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(await nextPort());
    } catch (error) {
      if (attempt === portAttempts || !/address already in use/i.test(String(error))) throw error;
    }
  }
}
