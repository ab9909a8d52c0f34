import { silentLogger } from "@platform/kit/process/telemetry";
import { readServerConfig } from "../src/config.ts";
import { createEventsWorker } from "../src/create-events-worker.ts";

// Runs a worker in a process of its own. The parent process sets its clock, by messages that contain epoch
// milliseconds.
let nowMs = Number(process.env.CLOCK_MS);
process.on("message", (ms: number) => {
  nowMs = ms;
});
process.on("disconnect", () => process.exit(0));

await createEventsWorker(readServerConfig(process.env), { logger: silentLogger(), clock: () => new Date(nowMs) });
process.send?.("ready");
