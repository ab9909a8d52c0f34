import type { DestinationStream } from "pino";
import type { RunningProcess } from "./run.ts";

/** Resources that a part shares with the other parts of its process. */
export type SharedProcess = {
  /** Destination of all log lines. Two writers to one pipe would interleave their lines. */
  readonly logDestination: DestinationStream;
  /** True for the one part whose registry shows CPU, memory and event-loop delay. Sums over all registries then count the process once. */
  readonly showsProcess: boolean;
};

/** A server, worker, gateway or console that can run in a process of its own or together with others (`startTogether`). */
export type Part = {
  /** Its name in logs and metrics: `events-svc`, `events-svc-worker`, `gateway`. */
  readonly name: string;
  /** Starts the part with its own environment. Rejects when a variable is bad. */
  readonly start: (
    env: NodeJS.ProcessEnv,
    overrides: { readonly shared: SharedProcess },
  ) => Promise<Omit<RunningProcess, "logger">>;
};
