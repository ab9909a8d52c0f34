import { run } from "@platform/service-kit/process/run";
import { readConfig } from "./config.ts";
import { createFilesWorker } from "./create-files-worker.ts";

await run(async () => createFilesWorker(readConfig(process.env)));
