import { fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { CallersReply, CallersRequest } from "./messages.ts";
import type { StackAddresses } from "./setting.ts";

/** The hostile callers, in a process of their own. */
export type Callers = {
  attack(): Promise<void>;
  pause(): Promise<void>;
  /** Attempts so far: `actor|attempt|outcome` and how many. */
  counts(): ReadonlyMap<string, number>;
  close(): Promise<void>;
};

/** Starts the process and lets every caller prepare. The platform has priority over it: attackers bring processors of their own. */
export async function startCallers(setting: StackAddresses): Promise<Callers> {
  const child = fork(fileURLToPath(new URL("./callers.ts", import.meta.url)), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
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
  await request({ prepare: setting });
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
