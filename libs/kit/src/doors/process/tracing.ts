/** The export of spans. */
export { startTracing } from "../../process/start-tracing.ts";
