import { run } from "@platform/kit/process/run";
import { readWorkerConfig } from "./config.ts";
import { createNotifyWorker } from "./create-notify-worker.ts";

await run(() => createNotifyWorker(readWorkerConfig(process.env)));
