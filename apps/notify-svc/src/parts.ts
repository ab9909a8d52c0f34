import type { Part } from "@platform/kit/process/run";
import { readBouncesConfig, readServerConfig, readWorkerConfig } from "./config.ts";
import { createNotifyBounces } from "./create-notify-bounces.ts";
import { createNotifyServer } from "./create-notify-server.ts";
import { createNotifyWorker } from "./create-notify-worker.ts";

/** Server, worker and bounce receiver of notify-svc, for a process that runs all of them. */
export const parts: readonly [server: Part, worker: Part, bounces: Part] = [
  { name: "notify-svc", start: (env, overrides) => createNotifyServer(readServerConfig(env), overrides) },
  { name: "notify-svc-worker", start: (env, overrides) => createNotifyWorker(readWorkerConfig(env), overrides) },
  { name: "notify-svc-bounces", start: (env, overrides) => createNotifyBounces(readBouncesConfig(env), overrides) },
];
