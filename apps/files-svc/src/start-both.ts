import { run, startTogether } from "@platform/kit/process/run";
import { parts } from "./parts.ts";

const [server, worker] = parts;
await run(() => startTogether("files-svc-both", [[server], [worker]], process.env));
