import { run } from "@platform/kit/process/run";
import { readWorkerConfig } from "./config.ts";
import { createAdsWorker } from "./create-ads-worker.ts";

await run(() => createAdsWorker(readWorkerConfig(process.env)));
