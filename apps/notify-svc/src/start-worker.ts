import { run } from "@platform/service-kit/process/run";
import { readConfig } from "./config.ts";
import { createNotifyWorker } from "./create-notify-worker.ts";

await run(() => createNotifyWorker(readConfig(process.env)));
