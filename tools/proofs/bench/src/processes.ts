import { type ChildProcess, fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { tied } from "@platform/stack/child";
import { serverNodeArguments } from "@platform/stack/components";
import { coreCount, pinToCores, yieldToOthers } from "@platform/stack/placement";
import type { LoadKind, LoadOf, LoadReply, SampleOf } from "./load/worker.ts";

/** Processor cores for each part of a measurement, if there are at least four. */
const cores = { measured: "0", stores: `1-${coreCount - 2}`, generator: `${coreCount - 1}` } as const;
export type CoreSet = keyof typeof cores;

/** Binds a running process with all its threads to the cores of its part. */
export function pin(pid: number | undefined, place: CoreSet): void {
  pinToCores(pid, cores[place]);
}

/** A server that one row uses. */
export type Server = { readonly port: number; stop(): Promise<void> };

type ServerOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly place?: CoreSet;
  readonly nodeArguments?: readonly string[];
};

/**
 * Starts a script that prints `LISTENING <port>` once it serves. The name is relative to this folder or a full path.
 */
export async function startServer(script: string, options: ServerOptions = {}): Promise<Server> {
  const child = startScript(script, options, "pipe");
  const port = await new Promise<number>((resolve, reject) => {
    if (child.stdout === null) throw new Error("its output is not read");
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("LISTENING ")) resolve(Number(line.slice("LISTENING ".length)));
    });
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code} before it served`)));
  });
  return { port, stop: () => stopProcess(child) };
}

/** Starts a script that prints nothing when it is ready. */
export function startScript(script: string, options: ServerOptions, output: "pipe" | "ignore"): ChildProcess {
  const path = script.startsWith("/") ? script : fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(...tied(process.execPath, [...(options.nodeArguments ?? []), path]), {
    env: { ...process.env, NODE_ENV: "production", ...options.env },
    stdio: ["ignore", output, "inherit"],
  });
  pin(child.pid, options.place ?? "measured");
  return child;
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}

/** A process that runs loads. */
export type Generator = {
  run<K extends LoadKind>(kind: K, load: LoadOf<K>): Promise<SampleOf<K>>;
  stop(): Promise<void>;
};

/**
 * Starts a load process, on a separate core if there are enough.
 * @param options for a second process at the same time: another set of cores, or `isYielding`, with which it only uses
 * the time that the first process leaves, so that its sending does not affect the first measurement
 */
export function startGenerator(options: { place?: CoreSet; isYielding?: boolean } = {}): Generator {
  const child = fork(fileURLToPath(new URL("./load/worker.ts", import.meta.url)), {
    // The same flags as those of a gateway. Without the first one, V8 may decide in the first moments of a load to
    // allocate new objects in the old generation permanently.
    execArgv: ["--no-allocation-site-pretenuring", ...serverNodeArguments],
    serialization: "advanced",
  });
  pin(child.pid, options.place ?? "generator");
  if (child.pid !== undefined && options.isYielding === true && !yieldToOthers(child.pid)) {
    setPriority(child.pid, constants.priority.PRIORITY_LOW);
  }
  return {
    run: <K extends LoadKind>(kind: K, load: LoadOf<K>) =>
      new Promise<SampleOf<K>>((resolve, reject) => {
        const ended = (): void => reject(new Error("the load process ended"));
        child.once("exit", ended);
        child.once("message", (reply: LoadReply) => {
          child.off("exit", ended);
          if ("sample" in reply) resolve(reply.sample as SampleOf<K>);
          else reject(new Error(reply.failure));
        });
        child.send({ kind, load });
      }),
    stop: () => stopProcess(child),
  };
}

/** Returns the resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4_096) / 2 ** 20;
}
