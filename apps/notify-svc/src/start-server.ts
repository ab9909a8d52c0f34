import { run } from "@platform/kit/process/run";
import { readServerConfig } from "./config.ts";
import { createNotifyServer } from "./create-notify-server.ts";

await run(() => createNotifyServer(readServerConfig(process.env)));
