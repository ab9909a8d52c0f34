import { run } from "@platform/kit/process/run";
import { readWorkerConfig } from "./config.ts";
import { createFilesWorker } from "./create-files-worker.ts";

await run(() => createFilesWorker(readWorkerConfig(process.env)));
