import type { RoutedOperation } from "@platform/contracts/operations";
import type { AdmissionControl, RequestKind } from "../admission-control/admission-control.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { Stage } from "./exchange.ts";
import { processFull } from "./refusals.ts";
import { knownError, refusalAnswer } from "./render-error.ts";

function kindOf({ isProbe, transport }: RoutedOperation): RequestKind {
  if (isProbe === true) return "probe";
  return transport === "proxy" ? "stream" : "call";
}

/**
 * Admits or refuses a request by admission control. A refusal is cheap: no body is read, Redis is not asked, and there is no span and no log line,
 * only a count.
 */
export function limitRequests(admission: AdmissionControl, metrics: Pick<GatewayMetrics, "requestsShed">): Stage {
  return async (exchange, next) => {
    const { authorization } = exchange.request.headers;
    const limiter = admission.requests[kindOf(exchange.operation)];
    const caller = admission.callerOf(authorization, exchange.network);
    const entering = limiter.enter(caller, 1, exchange.signal);
    const release = entering instanceof Promise ? await entering : entering;
    if (release === null) {
      metrics.requestsShed.inc({ reason: "in_flight" });
      return refusalAnswer(knownError(processFull()), exchange);
    }
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
