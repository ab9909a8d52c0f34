import { run } from "@platform/service-kit/process/run";
import { readConfig } from "./config.ts";
import { createConsole } from "./create-console.ts";

await run(() => createConsole(readConfig(process.env)));
