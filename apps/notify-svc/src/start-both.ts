import { run, startTogether } from "@platform/kit/process/run";
import { parts } from "./parts.ts";

const [server, worker, bounces] = parts;
await run(() => startTogether("notify-svc-both", [[server], [worker, bounces]], process.env));
