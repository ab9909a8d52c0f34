import { run, startTogether } from "@platform/kit/process/run";
import { parts } from "./parts.ts";

const [server, worker] = parts;
await run(() => startTogether("ads-svc-both", [[server], [worker]], process.env));
