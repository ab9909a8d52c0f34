import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Operation } from "@platform/contracts/operation";
import { type RoutedOperation, routedOperations } from "@platform/contracts/operations";
import type { Logger } from "@platform/kit/process/telemetry";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type ClientAddress, sourceNetwork } from "@platform/kit/web/http";
import express, { type RequestHandler, type Router } from "express";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { contractViolation, errorAnswer, knownError, refusalAnswer } from "../pipeline/errors.ts";
import { type Answer, type Exchange, runStages, type Stage } from "../pipeline/exchange.ts";
import { correlationIdOf, requestLineFault } from "./request-head.ts";
import { isClosing, noteAnswer, sendAnswer } from "./send-answer.ts";

const apiPrefix = "/api/v1";

type RouterOptions = {
  readonly pipeline: readonly Stage[];
  readonly docs: Router;
  readonly clientAddress: (request: IncomingMessage) => ClientAddress;
  readonly logger: Logger;
  readonly metrics: Pick<GatewayMetrics, "requestsInFlight">;
};

/**
 * Responds to every request on the public port: with the operations of the table, the reference pages, and 404 for
 * everything else.
 */
export function createRouter(options: RouterOptions): RequestListener {
  const { docs, logger } = options;
  const router = express.Router({ caseSensitive: true, strict: true });
  // Express compares a request's target with one path after the other, so the paths that are called most often are
  // added first: those of operations that spend a quota.
  const spendsQuota = (operations: readonly RoutedOperation[]): number => Number(operations.some(({ quota }) => quota));
  const paths = [...Map.groupBy(routedOperations, ({ path }) => path).values()];
  for (const operations of paths.toSorted((a, b) => spendsQuota(b) - spendsQuota(a))) {
    addRoute(router, operations, options);
  }
  router.use(docs);
  const refuse = (request: IncomingMessage, response: ServerResponse, error: unknown, headers = {}): void => {
    const known = knownError(error);
    const { correlationId } = correlationIdOf(request);
    const level = known.code === "internal_error" ? "error" : "info";
    logger[level](
      { err: known.cause, correlation_id: correlationId, code: known.code },
      "the gateway rejected a request",
    );
    sendAnswer(response, errorAnswer(known, correlationId, null), correlationId, headers);
  };

  return (request, response) => {
    if (isClosing(request.socket)) return;
    noteAnswer(response);
    const fault = requestLineFault(request);
    if (fault !== null) return refuse(request, response, contractViolation([fault]), { connection: "close" });
    request.url = decodablePath(request.url ?? "");
    router(request as express.Request, response as express.Response, (error: unknown) =>
      refuse(request, response, error ?? new ServiceError("route_not_found", "No operation has this path; see /docs.")),
    );
  };
}

/**
 * Adds the operations of a path by method. HEAD is supported for each GET (RFC 9110, 9.3.2), and all other methods get
 * 405.
 */
function addRoute(router: Router, operations: readonly RoutedOperation[], options: RouterOptions): void {
  const [first] = operations;
  if (first === undefined) return;
  const route = router.route(apiPrefix + expressPath(first.path));
  for (const operation of operations) {
    const method = operation.method.toLowerCase() as "get" | "post" | "put" | "delete";
    route[method]((request, response) => void serve(operation, request, response, options));
  }
  route.all(refuseMethod(operations, options.logger));
}

/**
 * Converts `/file-objects/{fileObjectId}` to `/file-objects/:fileObjectId`, and `/unsubscribe/{page+}` to
 * `/unsubscribe/*page`.
 */
function expressPath(path: string): string {
  return path.replace(/\{(\w+)\+\}/g, "*$1").replace(/\{(\w+)\}/g, ":$1");
}

/** Returns the target, with its percent signs escaped if its path cannot be decoded. No schema accepts such a path. */
function decodablePath(target: string): string {
  const [path = ""] = target.split("?", 1);
  if (!path.includes("%")) return target;
  try {
    decodeURIComponent(path);
    return target;
  } catch {
    return path.replaceAll("%", "%25") + target.slice(path.length);
  }
}

/** Runs the pipeline for a request, and writes the response. */
async function serve(
  operation: RoutedOperation,
  request: express.Request,
  response: ServerResponse,
  { pipeline, clientAddress, logger, metrics }: RouterOptions,
): Promise<void> {
  const exchange = beginExchange(operation, request, response, clientAddress(request));
  const { correlationId, answerHeaders } = exchange;
  metrics.requestsInFlight.inc();
  let answer: Answer;
  try {
    answer = await runStages(pipeline, exchange);
  } catch (error) {
    // An error here means a defect in the outermost stages. The caller still receives the error envelope.
    logger.error({ err: error, correlation_id: correlationId }, "the pipeline failed");
    answer = errorAnswer(knownError(error), correlationId, operation);
  } finally {
    metrics.requestsInFlight.dec();
  }
  sendAnswer(response, answer, correlationId, answerHeaders);
}

function beginExchange(
  operation: RoutedOperation,
  request: express.Request,
  response: ServerResponse,
  { address, isShared }: ClientAddress,
): Exchange {
  const { correlationId, isMalformed } = correlationIdOf(request);
  return {
    request,
    response,
    operation,
    rawParams: request.params as Record<string, string>,
    correlationId,
    isCorrelationIdMalformed: isMalformed,
    source: address,
    network: sourceNetwork(address),
    isSourceShared: isShared,
    startedAtMs: performance.now(),
    signal: watchLeaving(response),
    answerHeaders: corsHeaders(operation),
    deadlineMs: 0,
    client: null,
    session: null,
    params: undefined,
    body: undefined,
    idempotency: null,
    parseError: null,
    errorCode: null,
  };
}

/**
 * Returns the signal that aborts if the client disconnects before its response. It is created on first use, because few
 * requests need it.
 */
function watchLeaving(response: ServerResponse): () => AbortSignal {
  let abort: AbortController | null = null;
  let isGone = false;
  const leave = (): void => abort?.abort(new Error("the client went away"));
  response.on("close", () => {
    isGone = !response.writableFinished;
    if (isGone) leave();
  });
  return () => {
    if (abort === null) {
      abort = new AbortController();
      if (isGone) leave();
    }
    return abort.signal;
  };
}

/** Returns the CORS headers of an operation that allows any origin. Such operations take no credentials. */
function corsHeaders({ cors }: Operation): Record<string, string> {
  if (cors === undefined) return {};
  const read = ["X-Correlation-ID", "Retry-After", ...cors.read];
  return { "access-control-allow-origin": "*", "access-control-expose-headers": read.join(", ") };
}

function preflightHeaders({ cors, method }: Operation): Record<string, string> {
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": method === "GET" ? "GET, HEAD" : method,
    "access-control-allow-headers": ["Content-Type", "X-Correlation-ID", ...(cors?.sent ?? [])].join(", "),
    "access-control-max-age": "86400",
  };
}

/** Responds to a method that a path does not support: to a preflight if an operation allows it, otherwise with 405. */
function refuseMethod(operations: readonly RoutedOperation[], logger: Logger): RequestHandler {
  const allow = operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  const browsersMay = operations.find(({ cors }) => cors !== undefined);
  return (request, response) => {
    const { correlationId } = correlationIdOf(request);
    if (request.method === "OPTIONS" && browsersMay !== undefined) {
      response.writeHead(204, { ...preflightHeaders(browsersMay), "x-correlation-id": correlationId }).end();
      return;
    }
    const error = knownError(new ServiceError("method_not_allowed", `This path answers ${allow}.`));
    logger.info({ correlation_id: correlationId, code: error.code }, "the gateway rejected a request");
    const [operation] = operations as [RoutedOperation];
    sendAnswer(response, refusalAnswer(error, { request, correlationId, operation }), correlationId, { allow });
  };
}
