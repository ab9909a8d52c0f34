import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import type { Logger } from "@platform/service-kit/process/logger";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { contractViolation } from "../pipeline/contract-violation.ts";
import { preflightHeaders } from "../pipeline/cors.ts";
import { errorAnswer, knownError } from "../pipeline/error-answer.ts";
import { type Exchange, runStages, type Stage } from "../pipeline/exchange.ts";
import { sendAnswer } from "../pipeline/send-answer.ts";
import type { Door } from "../pipeline/shed-load.ts";
import type { RouteMatch } from "../route-table.ts";
import type { Arrival } from "./client-address.ts";
import { correlationIdOf } from "./correlation-id.ts";
import { type RefuseWhole, refuseEarly } from "./early-refusals.ts";
import { requestLineFault } from "./request-line.ts";

export const apiPrefix = "/api/v1";

export type ApiListenerOptions = {
  readonly match: (method: string, path: string) => RouteMatch;
  readonly door: Omit<Door, "stage">;
  readonly pipeline: readonly Stage[];
  readonly proxyPipeline: readonly Stage[];
  readonly clientAddress: (request: Arrival) => string;
  /** Does this process end its connections with their next answers? */
  readonly isDraining: () => boolean;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
};

/** Answers requests below /api/v1 by the operation table. `path` is the path below the prefix, without the query. */
export function createApiListener(options: ApiListenerOptions) {
  const { match, door, pipeline, proxyPipeline, clientAddress, isDraining, logger, metrics } = options;

  const refuse = (
    response: ServerResponse,
    correlationId: string,
    error: ServiceError,
    headers: Record<string, string> = {},
  ): void => {
    const answer = errorAnswer(knownError(error), correlationId, null);
    logger.info({ correlation_id: correlationId, status: answer.status, code: error.code }, "request refused");
    sendAnswer(response, answer, correlationId, headers);
  };

  const serve = async (exchange: Exchange): Promise<void> => {
    const { operation, response, correlationId, answerHeaders } = exchange;
    try {
      const answer = await runStages(operation.transport === "proxy" ? proxyPipeline : pipeline, exchange);
      sendAnswer(response, answer, correlationId, answerHeaders);
    } catch (error) {
      // Only a defect of the outermost stages comes this far; the caller still gets the envelope.
      logger.error({ err: error, correlation_id: correlationId }, "pipeline failed");
      sendAnswer(response, errorAnswer(knownError(error), correlationId, operation), correlationId, answerHeaders);
    } finally {
      metrics.requestsInFlight.dec();
    }
  };

  const refuseWhole: RefuseWhole = ({ method, url, headers }, socket) => {
    const [path = ""] = url.split("?", 1);
    if (isDraining() || !path.startsWith(`${apiPrefix}/`)) return null;
    const matched = match(method, path.slice(apiPrefix.length));
    if (matched.kind !== "operation") return null;
    const { correlationId, isMalformed } = correlationIdOf({ headers });
    const source = clientAddress({ headers, socket });
    return door.refuseEarly({
      operation: matched.operation,
      authorization: headers.authorization,
      source,
      correlationId,
      isCorrelationIdMalformed: isMalformed,
    });
  };

  return (request: IncomingMessage, response: ServerResponse, path: string): void => {
    const { correlationId, isMalformed } = correlationIdOf(request);
    const fault = requestLineFault(request);
    if (fault !== null) {
      refuse(response, correlationId, contractViolation([fault]), {
        connection: "close",
      });
      return;
    }
    const method = request.method ?? "";
    const matched = match(method, path);
    switch (matched.kind) {
      case "not_found":
        refuse(response, correlationId, new ServiceError("route_not_found", "No operation has this path; see /docs."));
        return;
      case "method_not_allowed": {
        const corsOperation = matched.operations.find((operation) => operation.cors === true);
        if (method === "OPTIONS" && corsOperation !== undefined) {
          response
            .writeHead(204, { ...preflightHeaders(corsOperation.method), "x-correlation-id": correlationId })
            .end();
          return;
        }
        const allow = matched.methods.join(", ");
        const error = new ServiceError("method_not_allowed", `This path answers ${allow}.`);
        refuse(response, correlationId, error, { allow });
        return;
      }
      case "operation": {
        const source = clientAddress(request);
        if (door.refuse(response, matched.operation, source, correlationId)) {
          refuseEarly(request.socket, refuseWhole);
          return;
        }
        const startedAtMs = performance.now();
        const { operation, rawParams } = matched;
        const begin = (caller: string | null): void => {
          const signal = watchLeaving(response, () => {
            if (caller !== null) door.answered(response, caller);
          });
          void serve({
            request,
            response,
            operation,
            rawParams,
            correlationId,
            isCorrelationIdMalformed: isMalformed,
            source,
            caller,
            startedAtMs,
            signal,
            refuseWhole,
            answerHeaders: {},
            deadlineMs: 0,
            client: null,
            session: null,
            params: undefined,
            body: undefined,
            idempotency: null,
            parseError: null,
            errorCode: null,
          });
        };
        metrics.requestsInFlight.inc();
        door.enter(response, operation, source, { begin, gone: () => metrics.requestsInFlight.dec() });
      }
    }
  };
}

/** Gives the signal that aborts when the client goes away before its answer is out. It is made when it is asked for: few requests do. */
function watchLeaving(response: ServerResponse, answered: () => void): () => AbortSignal {
  let abort: AbortController | null = null;
  let isGone = false;
  const leave = (): void => abort?.abort(new Error("the client went away"));
  response.once("close", () => {
    isGone = !response.writableFinished;
    if (isGone) leave();
    else answered();
  });
  return () => {
    if (abort === null) {
      abort = new AbortController();
      if (isGone) leave();
    }
    return abort.signal;
  };
}
