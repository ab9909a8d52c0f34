import type { DestinationStream } from "pino";
import type { RunningProcess } from "./run.ts";

/** Resources that a part shares with the other parts of its process. */
export type SharedProcess = {
  /** Destination of all log lines. Two destinations on one pipe would interleave their lines. */
  readonly logDestination: DestinationStream;
  /**
   * True for the only part whose registry contains CPU, memory and event-loop delay, so that sums over all registries
   * count the process once.
   */
  readonly showsProcess: boolean;
};

/** A server, worker, gateway or console that can run in a process of its own or together with others (`startTogether`). */
export type Part = {
  /** Name of the part in logs and metrics: `events-svc`, `events-svc-worker`, `gateway`. */
  readonly name: string;
  /** Starts the part with its own environment. Rejects if a variable is invalid. */
  readonly start: (
    env: NodeJS.ProcessEnv,
    overrides: { readonly shared: SharedProcess },
  ) => Promise<Omit<RunningProcess, "logger">>;
};
