import type { Part } from "@platform/kit/process/run";
import { readServerConfig, readWorkerConfig } from "./config.ts";
import { createIdentityServer } from "./create-identity-server.ts";
import { createIdentityWorker } from "./create-identity-worker.ts";

/** Server and worker of identity-svc, for a process that runs both. */
export const parts: readonly [server: Part, worker: Part] = [
  { name: "identity-svc", start: (env, overrides) => createIdentityServer(readServerConfig(env), overrides) },
  { name: "identity-svc-worker", start: (env, overrides) => createIdentityWorker(readWorkerConfig(env), overrides) },
];
