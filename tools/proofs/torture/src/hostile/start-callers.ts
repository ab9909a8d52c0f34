import { fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { CallersReply, CallersRequest } from "./messages.ts";
import type { StackAddresses } from "./setting.ts";

/** The hostile callers, in a process of their own. */
export type Callers = {
  attack(): Promise<void>;
  pause(): Promise<void>;
  /** Number of attempts so far by `actor|attempt|outcome`. */
  counts(): ReadonlyMap<string, number>;
  close(): Promise<void>;
};

/** The hostile callers by name. */
export const callerNames = ["outsider", "consumer token", "viewer", "project"] as const;

/**
 * Starts the process and prepares the callers with these names. The process has the lowest priority: real attackers use
 * their own machines, so their computation must not slow the platform down.
 */
export async function startCallers(setting: StackAddresses, names: readonly string[]): Promise<Callers> {
  const child = fork(fileURLToPath(new URL("./callers.ts", import.meta.url)), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let counts: ReadonlyMap<string, number> = new Map();
  const request = (message: CallersRequest): Promise<void> =>
    new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error("the process of the hostile callers ended"));
      child.once("exit", ended);
      child.once("message", (reply: CallersReply) => {
        child.off("exit", ended);
        counts = new Map(reply.counts);
        if (reply.done) resolve();
        else reject(new Error(`a hostile caller failed: ${reply.failure}`));
      });
      child.send(message);
    });
  await request({ prepare: setting, names });
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
