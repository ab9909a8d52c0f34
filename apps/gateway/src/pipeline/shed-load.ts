import { LRUCache } from "lru-cache";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { LoadGate } from "../load/load-gate.ts";
import type { Answer, Exchange, Stage } from "./exchange.ts";

/** Credentials seen to be good lately. Only these count as callers; whatever else is presented counts as the address it came from. */
const knownCallersMax = 10_000;

/**
 * Refuses what this process cannot do in time, before it costs anything: no span, no log line, no authentication. The health probe is
 * always answered. A caller is its credential once that has been accepted, so that made-up credentials share one address's share.
 */
export function shedLoad(gate: LoadGate, metrics: GatewayMetrics): Stage {
  const known = new LRUCache<string, true>({ max: knownCallersMax });
  return async (exchange, next) => {
    if (exchange.operation.id === "edge.getHealth") return next();
    const credential = credentialMark(exchange.request.headers.authorization);
    const caller = credential !== null && known.has(credential) ? credential : exchange.source;
    const entered = gate.enter(caller, exchange.signal);
    const reason = entered instanceof Promise ? await entered : entered;
    if (reason !== null) {
      metrics.requestsShed.inc({ reason });
      return shedAnswer(exchange);
    }
    try {
      const answer = await next();
      if (credential !== null && exchange.client !== null) known.set(credential, true);
      return answer;
    } finally {
      gate.leave(caller);
    }
  };
}

/**
 * Enough of a credential to tell it from every other one, and too little to use it. In one case: the scheme may be written in any, and a
 * caller that varied it would be many callers with a share each.
 */
export function credentialMark(header: string | undefined): string | null {
  return header === undefined ? null : header.slice(0, "Bearer pcred_".length + 32 + 1 + 16).toLowerCase();
}

/** The envelope of dependency_unavailable, written by hand: under overload this is what is answered most. */
function shedAnswer(exchange: Exchange): Answer {
  exchange.errorCode = "dependency_unavailable";
  return {
    kind: "body",
    status: 503,
    headers: { "retry-after": "1" },
    body: `{"error":{"code":"dependency_unavailable","message":"The platform is at its limit; try again shortly.","retryable":true,"correlation_id":"${exchange.correlationId}","details":{}}}`,
  };
}
