import type { ServerResponse } from "node:http";
import type { NamedOperation } from "@platform/contracts/operations";
import { quotaKey } from "@platform/quota/quota-windows";
import { observeSeconds } from "@platform/service-kit/process/metrics";
import { LRUCache } from "lru-cache";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { CallingClient } from "../handler.ts";
import type { EarlyRefusal } from "../http/early-refusals.ts";
import type { LoadGate } from "../load/load-gate.ts";
import type { Slowdown } from "../load/slowdown.ts";
import type { RememberedRefusal, TrafficRefusals } from "../load/traffic-refusals.ts";
import { createTrickle } from "../load/trickle.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import { knownClient } from "./authenticate.ts";
import { errorAnswer, knownError } from "./error-answer.ts";
import type { Answer, Exchange, Stage } from "./exchange.ts";
import { quotaExceeded } from "./refusals.ts";
import { sendShed, shedBody, shedText } from "./shed-answer.ts";

/** Credentials seen to be good lately. Only these count as callers; whatever else is presented counts as the address it came from. */
const knownCallersMax = 10_000;

/** Refusals of used-up traffic that leave in each 5 ms: 2,000 a second, a small part of what the process can do. */
const refusalsPerBeat = 10;

/** The same of refusals at the door, 10,000 a second: callers that repeat at once, whatever Retry-After says, must not be all that is done. */
const shedPerBeat = 50;

/** Refusals at the door that may leave together: what comes in one turn of the event loop under load is answered in it. */
const shedAtOnceMax = 1_000;

/** What stands before the pipeline of every operation that is not proxied. */
export type Door = {
  /** Answers a request the process has no room for, and says that it did: nothing else happens for it. */
  refuse(response: ServerResponse, operation: NamedOperation, source: string, correlationId: string): boolean;
  /** The same for a request that Node has made nothing of yet; null when there is room for it. */
  refuseEarly(
    operation: NamedOperation,
    authorization: string | undefined,
    source: string,
    correlationId: string,
  ): EarlyRefusal | null;
  /** Lets the rest of the pipeline run when it is the request's turn. */
  readonly stage: Stage;
};

type DoorDependencies = {
  readonly gate: LoadGate;
  readonly slowdown: Slowdown;
  readonly metrics: GatewayMetrics;
  readonly credentials: CredentialCache;
  readonly trafficRefusals: TrafficRefusals;
};

/**
 * Refuses what this process cannot do in time, or what Redis is known to refuse, before it costs anything: no span, no log line. The health
 * probe is always answered. A caller is a Project Client once a credential of it has been accepted, else an address: so made-up credentials
 * share one address's share, and many credentials of one client one client's.
 */
export function createDoor({ gate, slowdown, metrics, credentials, trafficRefusals }: DoorDependencies): Door {
  const trickle = createTrickle(refusalsPerBeat);
  const shedTrickle = createTrickle(shedPerBeat, shedAtOnceMax);
  const known = new LRUCache<string, string>({ max: knownCallersMax });
  const callerOf = (authorization: string | undefined, source: string): string => {
    const mark = credentialMark(authorization);
    return (mark === null ? undefined : known.get(mark)) ?? source;
  };

  /** A Project Client whose traffic is known to be used up, in the place the pipeline would find out: behind 401, 403 and a bad correlation id. */
  const trafficRefusal = ({ operation, request, isCorrelationIdMalformed }: Exchange) => {
    if (trafficRefusals.isEmpty() || operation.auth.scheme !== "projectCredential") return null;
    if (isCorrelationIdMalformed && operation.correlationIdDeclared) return null;
    const client = knownClient(credentials, request.headers.authorization);
    if (client === null || !client.scopes.includes(operation.auth.scope)) return null;
    const refusal = trafficRefusals.find(quotaKey(client.id, "api_traffic"), client.quotaLimits.api_traffic ?? 0);
    return refusal === null ? null : { client, refusal };
  };

  const refuseTraffic = (exchange: Exchange, refusal: RememberedRefusal, client: CallingClient): Answer => {
    const { operation, answerHeaders, correlationId } = exchange;
    metrics.quotaRefusals.inc({ resource: "api_traffic" });
    observeSeconds(
      metrics.requestDuration,
      { operation: operation.id, status: "429", code: "platform_quota_exceeded" },
      0,
    );
    exchange.client = client;
    answerHeaders["ratelimit-policy"] = `"api_traffic";q=${refusal.limit};w=60`;
    answerHeaders.ratelimit = `"api_traffic";r=0;t=${refusal.retryAfterSeconds}`;
    return errorAnswer(knownError(quotaExceeded("api_traffic", refusal)), correlationId, operation);
  };

  const isShed = (operation: NamedOperation, authorization: string | undefined, source: string): boolean => {
    if (operation.id === "edge.getHealth" || operation.transport === "proxy") return false;
    const reason = gate.refusal(callerOf(authorization, source));
    if (reason === null) return false;
    metrics.requestsShed.inc({ reason });
    return true;
  };

  return {
    refuse: (response, operation, source, correlationId) => {
      if (!isShed(operation, response.req.headers.authorization, source)) return false;
      const turn = shedTrickle.turn();
      if (turn === null) sendShed(response, operation, correlationId);
      else void turn.then(() => sendShed(response, operation, correlationId));
      return true;
    },
    refuseEarly: (operation, authorization, source, correlationId) => {
      if (!isShed(operation, authorization, source)) return null;
      return { turn: shedTrickle.turn(), answer: () => shedText(operation, correlationId) };
    },
    stage: async (exchange, next) => {
      if (exchange.operation.id === "edge.getHealth") return next();
      const { authorization } = exchange.request.headers;
      const caller = callerOf(authorization, exchange.source);
      const entered = gate.enter(caller, exchange.signal);
      const reason = entered === null ? null : await entered;
      if (reason !== null) {
        metrics.requestsShed.inc({ reason });
        return { kind: "body", status: 503, headers: { "retry-after": "1" }, body: shedBody(exchange.correlationId) };
      }
      let refused: ReturnType<typeof trafficRefusal> = null;
      const startedAtMs = performance.now();
      try {
        refused = trafficRefusal(exchange);
        if (refused === null) {
          const answer = await next();
          const mark = exchange.client === null ? null : credentialMark(authorization);
          if (mark !== null && exchange.client !== null) known.set(mark, exchange.client.id);
          if (isDone(answer)) slowdown.observe(exchange.operation.id, performance.now() - startedAtMs);
          return answer;
        }
      } finally {
        gate.leave(caller);
      }
      const turn = trickle.turn();
      if (turn !== null) await turn;
      return refuseTraffic(exchange, refused.refusal, refused.client);
    },
  };
}

/** Was the operation done now? Refusals and replays are quicker than it, and say nothing about how long it takes. */
function isDone(answer: Answer): boolean {
  return answer.kind === "body" && answer.status < 300 && answer.headers?.["idempotency-replayed"] === undefined;
}

/**
 * Enough of a credential to tell it from every other one, and too little to use it. In one case: the scheme may be written in any, and a
 * caller that varied it would be many callers with a share each.
 */
export function credentialMark(header: string | undefined): string | null {
  return header === undefined ? null : header.slice(0, "Bearer pcred_".length + 32 + 1 + 16).toLowerCase();
}
