/** Batches of the work that arrives in one event-loop tick. */
export { createCoalescer } from "../../process/coalescer.ts";
