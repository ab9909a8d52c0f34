import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import type { Logger } from "@platform/service-kit/process/logger";
import { observeSeconds } from "@platform/service-kit/process/metrics";
import { type ActiveSpan, inSpan } from "@platform/service-kit/tracing/spans";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { errorAnswer, knownError } from "../pipeline/error-answer.ts";
import { pageErrorAnswer, wantsPage } from "../pipeline/page-error.ts";
import { sendAnswer } from "../pipeline/send-answer.ts";
import { type Forward, pagePrefixes } from "../proxies.ts";
import { correlationIdOf } from "./correlation-id.ts";
import { requestLineFault } from "./request-line.ts";

/** Streams pages and bytes that are no operations of the table: hosted pages, downloads, public assets, unsubscribe pages. */
export function createPageListener(options: {
  readonly forward: Forward;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  /** Is the path one of the table's, although it begins like a page's? */
  readonly isOperation: (path: string) => boolean;
}) {
  const { forward, clientAddress, logger, metrics, isOperation } = options;
  /** Serves the request when its path is a page's and nothing is wrong with its request line; answers whether it does. */
  return (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
    const page = pagePrefixes.find(({ prefix }) => path.startsWith(prefix));
    if (page === undefined || isOperation(path) || requestLineFault(request) !== null) return false;
    const startedAtMs = performance.now();
    const { correlationId } = correlationIdOf(request);
    const observe = (span: ActiveSpan, code: string | undefined): void => {
      const durationMs = performance.now() - startedAtMs;
      const status = response.statusCode;
      observeSeconds(
        metrics.requestDuration,
        { operation: page.route, status: String(status), code: code ?? "ok" },
        durationMs / 1000,
      );
      logger.info(
        {
          correlation_id: correlationId,
          route: page.route,
          method: request.method,
          status,
          code,
          duration_ms: durationMs,
        },
        "page",
      );
      span.setAttributes({
        "http.response.status_code": status,
        ...(code === undefined ? {} : { "error.type": code }),
      });
    };
    const allow = page.methods.join(", ");
    const serve = (): ReturnType<Forward> => {
      if (page.methods.includes(request.method ?? ""))
        return forward(page.server, { request, response, correlationId, source: clientAddress(request) });
      throw new ServiceError("method_not_allowed", `This path answers ${allow}.`);
    };
    const answer = async (span: ActiveSpan): Promise<void> => {
      span.setAttributes({ "http.request.method": request.method ?? "", "platform.correlation_id": correlationId });
      try {
        const outcome = await serve();
        // What was handed over is observed where it is answered.
        if (outcome === "answered") observe(span, undefined);
      } catch (thrown) {
        const error = knownError(thrown);
        const refusal = errorAnswer(error, correlationId, null);
        const isPage = page.server !== "files" && wantsPage(request);
        sendAnswer(response, isPage ? pageErrorAnswer(refusal, correlationId, request) : refusal, correlationId, {
          ...(error.code === "method_not_allowed" ? { allow } : {}),
        });
        observe(span, error.code);
      }
    };
    const { traceparent: link } = request.headers;
    void inSpan(page.route, { kind: "server", link: typeof link === "string" ? link : undefined }, answer);
    return true;
  };
}
