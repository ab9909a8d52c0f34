import { run } from "@platform/kit/process/run";
import { readServerConfig } from "./config.ts";
import { createFilesServer } from "./create-files-server.ts";

await run(() => createFilesServer(readServerConfig(process.env)));
