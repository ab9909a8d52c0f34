import { run } from "@platform/service-kit/process/run";
import { readConfig } from "./config.ts";
import { createNotifyServer } from "./create-notify-server.ts";

await run(() => createNotifyServer(readConfig(process.env)));
