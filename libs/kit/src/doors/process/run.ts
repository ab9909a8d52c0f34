/** Starting and stopping a process, and running several parts in one process. */
export type { Part, SharedProcess } from "../../process/part.ts";
export { closeMsMaxOf, type RunningProcess, run } from "../../process/run.ts";
export { startTogether } from "../../process/start-together.ts";
