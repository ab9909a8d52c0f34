import type { Part } from "@platform/kit/process/run";
import { readServerConfig, readWorkerConfig } from "./config.ts";
import { createAdsServer } from "./create-ads-server.ts";
import { createAdsWorker } from "./create-ads-worker.ts";

/** Server and worker of ads-svc, for a process that runs both. */
export const parts: readonly [server: Part, worker: Part] = [
  { name: "ads-svc", start: (env, overrides) => createAdsServer(readServerConfig(env), overrides) },
  { name: "ads-svc-worker", start: (env, overrides) => createAdsWorker(readWorkerConfig(env), overrides) },
];
