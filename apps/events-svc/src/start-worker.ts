import { run } from "@platform/kit/process/run";
import { readWorkerConfig } from "./config.ts";
import { createEventsWorker } from "./create-events-worker.ts";

await run(() => createEventsWorker(readWorkerConfig(process.env)));
