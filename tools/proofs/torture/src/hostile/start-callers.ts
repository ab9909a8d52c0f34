import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CallerName, CallersReply, CallersRequest } from "./messages.ts";
import type { StackAddresses } from "./setting.ts";

/** The hostile callers, each in a process of its own. */
export type Callers = {
  attack(): Promise<void>;
  pause(): Promise<void>;
  /** Number of attempts so far by `actor|attempt|outcome`. */
  counts(): ReadonlyMap<string, number>;
  close(): Promise<void>;
};

/**
 * Starts and prepares the callers with these names. The kernel runs their processes only while no other process wants
 * to run (SCHED_IDLE in sched(7)): real attackers use their own machines, so their computation must not slow the
 * platform down.
 */
export async function startCallers(setting: StackAddresses, names: readonly CallerName[]): Promise<Callers> {
  const callers = await Promise.all(names.map((name) => startCaller(setting, name)));
  const all = async (act: (caller: Callers) => Promise<void>): Promise<void> => {
    await Promise.all(callers.map(act));
  };
  return {
    attack: () => all((caller) => caller.attack()),
    pause: () => all((caller) => caller.pause()),
    counts: () => new Map(callers.flatMap((caller) => [...caller.counts()])),
    close: () => all((caller) => caller.close()),
  };
}

async function startCaller(setting: StackAddresses, name: CallerName): Promise<Callers> {
  const child = fork(fileURLToPath(new URL("./callers.ts", import.meta.url)), {
    execPath: "chrt",
    execArgv: ["--idle", "0", process.execPath, "--disable-warning=ExperimentalWarning"],
  });
  let counts: ReadonlyMap<string, number> = new Map();
  const request = (message: CallersRequest): Promise<void> =>
    new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error(`the process of the hostile caller ${name} ended`));
      child.once("exit", ended);
      child.once("message", (reply: CallersReply) => {
        child.off("exit", ended);
        counts = new Map(reply.counts);
        if (reply.done) resolve();
        else reject(new Error(`the hostile caller ${name} failed: ${reply.failure}`));
      });
      child.send(message);
    });
  await request({ prepare: setting, name });
  return {
    attack: () => request({ attack: true }),
    pause: () => request({ pause: true }),
    counts: () => counts,
    close: async () => {
      await request({ close: true });
      child.disconnect();
    },
  };
}
