import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";

/** Command of one process of the stack. */
export type ChildSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logPath: string;
  /** Returns the log file of a line, if the process has several parts with separate files; by default `logPath`. */
  readonly logPathOf?: (line: string) => string;
};

/** A process of the stack. */
export type Child = {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended, with its exit code or signal. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM to the process, and kills it after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
};

// The path of setpriv, if it is installed. Without it, only an orderly stop of the stack ends its processes.
const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));

/** Returns a command that the kernel ends together with this process. It is unchanged if setpriv is not available. */
export function tied(command: string, args: readonly string[]): [command: string, args: readonly string[]] {
  return setpriv === undefined ? [command, args] : [setpriv, ["--pdeathsig", "KILL", "--", command, ...args]];
}

/** Starts a process. Its lines go to its log file, and to `onLine`. */
export function startChild(spec: ChildSpec, onLine: (line: string) => void): Child {
  const [command, args] = tied(spec.command, spec.args);
  // Detached, so that Ctrl-C in the terminal reaches only the stack, which then stops its children in order.
  const child: ChildProcess = spawn(command, args, {
    cwd: spec.cwd,
    env: spec.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const logs = new Map<string, WriteStream>();
  const logOf = (path: string): WriteStream => {
    const log = logs.get(path) ?? createWriteStream(path, { flags: "a" });
    logs.set(path, log);
    return log;
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      logOf(spec.logPathOf?.(line) ?? spec.logPath).write(`${line}\n`);
      onLine(line);
    });
  }
  // Waits for `close` instead of `exit`, because child processes of the process may still write.
  child.once("close", () => {
    for (const log of logs.values()) log.end();
  });
  let isRunning = true;
  const exited = (async () => {
    const [code, signal] = (await Promise.race([
      once(child, "exit"),
      once(child, "error").then(([error]) => Promise.reject(error)),
    ])) as [number | null, NodeJS.Signals | null];
    isRunning = false;
    return { code, signal };
  })();
  exited.catch(() => {
    isRunning = false;
  });
  const send = (signal: NodeJS.Signals): void => {
    if (isRunning) child.kill(signal);
  };
  return {
    name: spec.name,
    pid: child.pid ?? -1,
    exited,
    isRunning: () => isRunning,
    signal: send,
    stop: async (graceMs = 28_000) => {
      send("SIGTERM");
      // A paused process does not react to SIGTERM, so it is resumed first.
      send("SIGCONT");
      const force = setTimeout(() => send("SIGKILL"), graceMs);
      await exited.catch(() => undefined);
      clearTimeout(force);
    },
  };
}
