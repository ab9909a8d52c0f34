import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import type { Logger } from "@platform/service-kit/process/logger";
import { observeSeconds } from "@platform/service-kit/process/metrics";
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
    const observe = (code: string | undefined): void => {
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
    };
    const allow = page.methods.join(", ");
    const served = page.methods.includes(request.method ?? "")
      ? forward(page.server, { request, response, correlationId, source: clientAddress(request) })
      : Promise.reject(new ServiceError("method_not_allowed", `This path answers ${allow}.`));
    served.then(
      // What was handed over is observed where it is answered.
      (outcome) => outcome === "answered" && observe(undefined),
      (thrown: unknown) => {
        const error = knownError(thrown);
        const answer = errorAnswer(error, correlationId, null);
        const isPage = page.server !== "files" && wantsPage(request);
        sendAnswer(response, isPage ? pageErrorAnswer(answer, correlationId, request) : answer, correlationId, {
          ...(error.code === "method_not_allowed" ? { allow } : {}),
        });
        observe(error.code);
      },
    );
    return true;
  };
}
