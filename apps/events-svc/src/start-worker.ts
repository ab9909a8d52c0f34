import { run } from "@platform/service-kit/process/run";
import { readEventsWorkerConfig } from "./config.ts";
import { createEventsWorker } from "./create-events-worker.ts";

await run(() => createEventsWorker(readEventsWorkerConfig(process.env, 8146)));
