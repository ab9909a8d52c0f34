import { run } from "@platform/kit/process/run";
import { readWorkerConfig } from "./config.ts";
import { createIdentityWorker } from "./create-identity-worker.ts";

await run(() => createIdentityWorker(readWorkerConfig(process.env)));
