import { run } from "@platform/kit/process/run";
import { readServerConfig } from "./config.ts";
import { createAdsServer } from "./create-ads-server.ts";

await run(() => createAdsServer(readServerConfig(process.env)));
