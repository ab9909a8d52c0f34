import { run } from "@platform/kit/process/run";
import { readServerConfig } from "./config.ts";
import { createEventsServer } from "./create-events-server.ts";

await run(() => createEventsServer(readServerConfig(process.env)));
