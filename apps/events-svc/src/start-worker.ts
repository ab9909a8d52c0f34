import { run } from "@platform/service-kit/process/run";
import { readEventsConfig } from "./config.ts";
import { createEventsWorker } from "./create-events-worker.ts";

await run(() => createEventsWorker(readEventsConfig(process.env, 8146)));
