/** How a process runs: start, stop, parts that share a process. What other packages may import; a module without a line here is the package's own. */
export type { Part, SharedProcess } from "../../process/part.ts";
export { closeMsMaxOf, type RunningProcess, run } from "../../process/run.ts";
export { startTogether } from "../../process/start-together.ts";
