import type { RequestListener } from "node:http";
import { durationBucketsSeconds } from "@platform/kit/process/telemetry";
import { Histogram, type Registry } from "@prometheus-io/client";

/** Measures response times by status. The path is not a label, because it contains ids. */
export function observeRequests(listener: RequestListener, registry: Registry): RequestListener {
  const duration = new Histogram({
    name: "platform_console_request_duration_seconds",
    help: "Duration of each request of the console.",
    labelNames: ["method", "status"],
    buckets: durationBucketsSeconds,
    registers: [registry],
  });
  return (request, response) => {
    const startedMs = performance.now();
    response.once("close", () => {
      const labels = { method: request.method ?? "", status: String(response.statusCode) };
      duration.observe(labels, (performance.now() - startedMs) / 1000);
    });
    listener(request, response);
  };
}
