import { z } from "zod";
import { readEnv } from "./read-env.ts";

const tracingEnv = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .transform((text) => text.replace(/\/$/, ""))
    .optional(),
  OTEL_SERVICE_NAME: z.string().default("platform"),
  /** Sampled share of the traces started here. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
});

/**
 * Starts tracing if OTEL_EXPORTER_OTLP_ENDPOINT, a standard variable of OpenTelemetry, names a collector. Without it
 * the SDK is not loaded. Returns the function that stops tracing.
 */
export async function traceProcess(env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...settings } = readEnv(tracingEnv, env);
  if (endpoint === undefined) return async () => {};
  const { startTracing } = await import("./start-tracing.ts");
  return startTracing({
    endpoint,
    serviceName: settings.OTEL_SERVICE_NAME,
    sampleRatio: settings.OTEL_TRACES_SAMPLER_ARG,
  });
}
