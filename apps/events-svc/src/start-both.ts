import { run } from "@platform/service-kit/process/run";
import { startTogether } from "@platform/service-kit/process/start-together";
import { parts } from "./parts.ts";

const [server, worker] = parts;
await run(() => startTogether("events-svc-both", [[server], [worker]], process.env));
