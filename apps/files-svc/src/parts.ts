import type { Part } from "@platform/kit/process/run";
import { readServerConfig, readWorkerConfig } from "./config.ts";
import { createFilesServer } from "./create-files-server.ts";
import { createFilesWorker } from "./create-files-worker.ts";

/** Server and worker of files-svc, for a process that runs both. */
export const parts: readonly [server: Part, worker: Part] = [
  { name: "files-svc", start: (env, overrides) => createFilesServer(readServerConfig(env), overrides) },
  { name: "files-svc-worker", start: (env, overrides) => createFilesWorker(readWorkerConfig(env), overrides) },
];
