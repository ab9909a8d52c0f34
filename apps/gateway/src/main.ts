import { run } from "@platform/kit/process/run";
import { readConfig } from "./config.ts";
import { createGateway } from "./create-gateway.ts";

await run(() => createGateway(readConfig(process.env)));
