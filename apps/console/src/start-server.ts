import { run } from "@platform/kit/process/run";
import { readConfig } from "./config.ts";
import { createConsole } from "./create-console.ts";

await run(() => createConsole(readConfig(process.env)));
