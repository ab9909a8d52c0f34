import { run } from "@platform/service-kit/process/run";
import { readServerConfig } from "./config.ts";
import { createAdsServer } from "./create-ads-server.ts";

await run(() => createAdsServer(readServerConfig(process.env)));
