import { run } from "@platform/service-kit/process/run";
import { readEventsConfig } from "./config.ts";
import { createEventsServer } from "./create-events-server.ts";

await run(() => createEventsServer(readEventsConfig(process.env, 8126)));
