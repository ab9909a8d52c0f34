import { operationList, type RoutedOperation } from "@platform/contracts/operations";
import type { UsageReporter } from "@platform/operator-plane/usage";
import type { AdmissionControl, RequestKind } from "../admission-control/admission-control.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { RequestLog } from "../request-log.ts";
import { countRefusal } from "./count-refusal.ts";
import { knownError, processFull, refusalAnswer } from "./errors.ts";
import type { Answer, Stage } from "./exchange.ts";
import { logShedRequest } from "./log-request.ts";

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
