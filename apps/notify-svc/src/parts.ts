import type { Part } from "@platform/kit/process/run";
import { readServerConfig, readWorkerConfig } from "./config.ts";
import { createNotifyServer } from "./create-notify-server.ts";
import { createNotifyWorker } from "./create-notify-worker.ts";

/** Server and worker of notify-svc, for a process that runs both. */
export const parts: readonly [server: Part, worker: Part] = [
  { name: "notify-svc", start: (env, overrides) => createNotifyServer(readServerConfig(env), overrides) },
  { name: "notify-svc-worker", start: (env, overrides) => createNotifyWorker(readWorkerConfig(env), overrides) },
];
