import { run } from "@platform/service-kit/process/run";
import { readConfig } from "./config.ts";
import { createFilesServer } from "./create-files-server.ts";

await run(async () => createFilesServer(readConfig(process.env)));
