import { run } from "@platform/kit/process/run";
import { readServerConfig } from "./config.ts";
import { createIdentityServer } from "./create-identity-server.ts";

await run(() => createIdentityServer(readServerConfig(process.env)));
