import { type NamedOperation, operationList, type RoutedOperation } from "@platform/contracts/operations";
import { contractRelease } from "@platform/contracts/operations/edge";
import type { Logger } from "@platform/kit/process/telemetry";
import { nextHopDeadline, steadyNowMs } from "@platform/kit/rpc/client";
import type { UsageReporter } from "@platform/operator-plane/usage";
import { z } from "zod";
import type { AdmissionControl, RequestKind } from "../admission-control/admission-control.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { GaugeOwners } from "../gauge-owners.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import type { Metering, RecordWaiter } from "../redis/metering.ts";
import type { Settlements } from "../redis/settlements.ts";
import type { RequestLog } from "../request-log.ts";
import type { Upstreams } from "../upstreams.ts";
import { authenticate, authorizeScope } from "./authenticate.ts";
import { countRefusal } from "./count-refusal.ts";
import { contractViolation, knownError, processFull, refusalAnswer, renderError } from "./errors.ts";
import type { Answer, Stage } from "./exchange.ts";
import type { Forward } from "./forward.ts";
import { type AnyHandler, handle } from "./handle.ts";
import type { JudgingThread } from "./judging-thread.ts";
import { logShedRequest } from "./log-request.ts";
import { meter } from "./meter.ts";
import { accessLog, trace } from "./observe.ts";
import { parseRequest } from "./parse-request.ts";
import type { ReplayRetention } from "./replay-retention.ts";

/** Dependencies of the stages. */
export type PipelineDependencies = {
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
  readonly upstreams: Upstreams;
  readonly credentials: CredentialCache;
  readonly admissionControl: AdmissionControl;
  readonly judgingThread: Pick<JudgingThread, "start" | "judge">;
  readonly metering: Pick<Metering, "meter">;
  readonly settlements: Pick<Settlements, "settle">;
  readonly usage: Pick<UsageReporter, "count">;
  readonly credentialUsage: Pick<UsageReporter, "count">;
  readonly requestLog: RequestLog;
  readonly waiter: RecordWaiter;
  readonly gaugeOwners: GaugeOwners;
  readonly retention: ReplayRetention;
  /** Returns whether Redis is nearly full. */
  readonly isMemoryShort: () => boolean;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly forward: Forward;
  readonly deadlineMs: number;
};

/**
 * Creates the pipeline, which is the same for every operation. Each stage reads the operation's record, and handlers
 * repeat no check.
 */
export function createPipeline(dependencies: PipelineDependencies): readonly Stage[] {
  const { logger, metrics, usage, requestLog, admissionControl, upstreams, credentials, deadlineMs } = dependencies;
  return [
    limitRequests(admissionControl, metrics, usage, requestLog, dependencies.isMemoryShort),
    trace,
    accessLog(logger, metrics, requestLog),
    renderError(logger, usage),
    responseMeta,
    correlationId,
    deadline(deadlineMs),
    authenticate(credentials, upstreams),
    authorizeScope,
    parseRequest(dependencies),
    meter(dependencies),
    handle(dependencies),
  ];
}

/** Rejects a malformed X-Correlation-ID if the operation declares the header; otherwise a malformed one is ignored. */
const correlationId: Stage = (exchange, next) => {
  if (exchange.isCorrelationIdMalformed && exchange.operation.correlationIdDeclared) {
    throw contractViolation([{ path: "header:X-Correlation-ID", code: "invalid_format", message: "must be a UUID" }]);
  }
  return next();
};

/** Sets the request's deadline, counted from its arrival. Each hop receives the remaining time minus its reserve. */
function deadline(budgetMs: number): Stage {
  return (exchange, next) => {
    const waitedMs = performance.now() - exchange.startedAtMs;
    exchange.deadlineMs = nextHopDeadline(steadyNowMs() - waitedMs + budgetMs);
    return next();
  };
}

function kindOf({ isProbe, transport }: RoutedOperation): RequestKind {
  if (isProbe === true) return "probe";
  return transport === "proxy" ? "stream" : "call";
}

/**
 * Ids of the operations that claim an Idempotency-Key without a credential. No quota limits them, so they are rejected
 * while Redis is nearly full: the rest of its memory belongs to requests with a credential, which fail without it.
 */
const claimsWithoutCredential: ReadonlySet<string> = new Set(
  operationList.filter(({ auth, idempotency }) => auth.scheme === "none" && idempotency !== null).map(({ id }) => id),
);

/**
 * Creates the stage that admits or rejects a request by admission control. A rejection must be cheap: the body is not
 * read, Redis is not called, and the rejection only increments a counter and adds an entry to the request log. It gets
 * no span and no line in the process log.
 */
export function limitRequests(
  admission: AdmissionControl,
  metrics: Pick<GatewayMetrics, "requestsShed">,
  usage: Pick<UsageReporter, "count">,
  requestLog: RequestLog,
  isMemoryShort: () => boolean,
): Stage {
  return async (exchange, next) => {
    const { authorization } = exchange.request.headers;
    const limiter = admission.requests[kindOf(exchange.operation)];
    const caller = admission.callerOf(authorization, exchange.network);
    // If the caller is not a network, it is the Project Client of a credential that was accepted before.
    const isKnown = caller !== exchange.network;
    const refuse = (reason: string): Answer => {
      metrics.requestsShed.inc({ reason });
      const error = knownError(processFull());
      const answer = refusalAnswer(error, exchange);
      if (isKnown) {
        countRefusal(usage, caller, error.code);
        logShedRequest(requestLog, caller, exchange, { status: answer.status, code: error.code });
      }
      return answer;
    };
    if (!isKnown && isMemoryShort() && claimsWithoutCredential.has(exchange.operation.id))
      return refuse("redis_memory");
    const entering = limiter.enter(caller, 1, exchange.signal);
    const release = entering instanceof Promise ? await entering : entering;
    if (release === null) return refuse("in_flight");
    try {
      const answer = await next();
      const { client } = exchange;
      if (authorization !== undefined && client !== null && client.id !== caller)
        admission.remember(authorization, client.id);
      return answer;
    } finally {
      release();
    }
  };
}

/**
 * Adds the `meta` of the current request to success bodies that have one. This stage runs outside of the idempotency
 * claim, so that a replay gets its own `meta`.
 */
export const responseMeta: Stage = (exchange, next) =>
  withMeta.has(exchange.operation.id) ? addMeta(exchange, next) : next();

const addMeta: Stage = async (exchange, next) => {
  const answer = await next();
  if (answer.kind !== "body") return answer;
  const meta = {
    release: contractRelease,
    idempotency_key: exchange.idempotency?.key,
    correlation_id: exchange.correlationId,
    replayed: answer.headers?.["idempotency-replayed"] === "true",
  };
  // The body is `{"data":…}`, as a handler's result is written. `meta` is inserted before its last brace.
  return { ...answer, body: `${answer.body.slice(0, -1)},"meta":${JSON.stringify(meta)}}` };
};

const withMeta: ReadonlySet<string> = new Set(operationList.filter(hasMeta).map(({ id }) => id));

function hasMeta({ response }: NamedOperation): boolean {
  return response instanceof z.ZodObject && "meta" in response.shape;
}
