/** The export of spans. What other packages may import; a module without a line here is the package's own. */
export { startTracing } from "../../process/start-tracing.ts";
