import type { Part } from "@platform/kit/process/run";
import { readServerConfig, readWorkerConfig } from "./config.ts";
import { createEventsServer } from "./create-events-server.ts";
import { createEventsWorker } from "./create-events-worker.ts";

/** Server and worker of events-svc, for a process that runs both. */
export const parts: readonly [server: Part, worker: Part] = [
  { name: "events-svc", start: (env, overrides) => createEventsServer(readServerConfig(env), overrides) },
  { name: "events-svc-worker", start: (env, overrides) => createEventsWorker(readWorkerConfig(env), overrides) },
];
