import { type ChildProcess, fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tied } from "@platform/stack/child";
import { coreCount, pinToCores, yieldToOthers } from "@platform/stack/placement";
import type { LoadSample } from "./load/sample.ts";
import type { LoadKind, LoadOf, LoadReply } from "./load/worker.ts";

/**
 * Where the parts of a measurement run: what is measured alone on core 0, its stores and services on those between, the generator on the
 * last one.
 */
export const places = {
  measured: "0",
  stores: `1-${coreCount - 2}`,
  generator: `${coreCount - 1}`,
  /** For a second process beside the one on core 0, and for everything else meanwhile. */
  second: "1",
  rest: `${Math.min(2, coreCount - 2)}-${coreCount - 2}`,
} as const;
export type Place = keyof typeof places;

/** Binds a running process with all its threads to its place. */
export function pin(pid: number | undefined, place: Place): void {
  pinToCores(pid, places[place]);
}

/** A server of one row: something to compare with. */
export type Server = { readonly port: number; readonly pid: number; stop(): Promise<void> };

/** Starts a script that prints `LISTENING <port>` once it serves. */
export async function startServer(
  script: string,
  options: { env?: Readonly<Record<string, string>>; place?: Place; nodeArguments?: readonly string[] } = {},
): Promise<Server> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(...tied(process.execPath, [...(options.nodeArguments ?? []), path]), {
    env: { ...process.env, NODE_ENV: "production", ...options.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("LISTENING ")) resolve(Number(line.slice("LISTENING ".length)));
    });
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code} before it served`)));
    child.once("error", reject);
  });
  pin(child.pid, options.place ?? "measured");
  return { port, pid: child.pid ?? -1, stop: () => stopProcess(child) };
}

/** Starts a process that says nothing when it serves, and waits until `isReady`. */
export async function startUntilReady(
  script: string,
  options: {
    env: Readonly<Record<string, string>>;
    place: Place;
    nodeArguments: readonly string[];
    isReady: () => Promise<boolean>;
  },
): Promise<{ pid: number; stop(): Promise<void> }> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const env = { ...process.env, NODE_ENV: "production", ...options.env };
  const child = spawn(...tied(process.execPath, [...options.nodeArguments, path]), {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const untilMs = Date.now() + 30_000;
  while (!(await options.isReady())) {
    if (child.exitCode !== null || Date.now() > untilMs) throw new Error(`${script} did not become ready`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  pin(child.pid, options.place);
  return { pid: child.pid ?? -1, stop: () => stopProcess(child) };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}

/** The process loads run in. */
export type Generator = {
  readonly pid: number;
  run<K extends LoadKind>(kind: K, load: LoadOf<K>): Promise<LoadSample>;
  stop(): Promise<void>;
};

/**
 * Starts a load process, on a core of its own where there are enough.
 * @param options for a second one at the same time: another place, or `isYielding`, when it may only have what the first leaves of the
 *   core, so that what it costs to send does not show in what the first measures
 */
export function startGenerator(options: { place?: Place; isYielding?: boolean } = {}): Generator {
  const child = fork(fileURLToPath(new URL("./load/worker.ts", import.meta.url)), {
    // Of large answers nothing is kept: without the first, every 64 MB of them would have the whole heap marked, on the sender's core.
    // Without the second, the first moments of a load may decide for good that what it makes is to be made among the old objects.
    execArgv: ["--external-memory-accounted-in-global-limit", "--no-allocation-site-pretenuring"],
    serialization: "advanced",
  });
  pin(child.pid, options.place ?? "generator");
  if (child.pid !== undefined && options.isYielding === true && !yieldToOthers(child.pid)) {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  }
  return {
    pid: child.pid ?? -1,
    run: (kind, load) =>
      new Promise((resolve, reject) => {
        const ended = (): void => reject(new Error("the load process ended"));
        child.once("exit", ended);
        child.once("message", (reply: LoadReply) => {
          child.off("exit", ended);
          if ("sample" in reply) resolve(reply.sample);
          else reject(new Error(reply.failure));
        });
        child.send({ kind, load });
      }),
    stop: () => stopProcess(child),
  };
}

/** CPU time a process has used so far, in milliseconds (ticks of 10). */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
