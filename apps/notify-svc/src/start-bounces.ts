import { run } from "@platform/kit/process/run";
import { readBouncesConfig } from "./config.ts";
import { createNotifyBounces } from "./create-notify-bounces.ts";

await run(() => createNotifyBounces(readBouncesConfig(process.env)));
