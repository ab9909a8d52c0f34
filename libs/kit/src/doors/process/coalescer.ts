/** Many requests of one event-loop tick as one batch. What other packages may import; a module without a line here is the package's own. */
export { createCoalescer } from "../../process/coalescer.ts";
