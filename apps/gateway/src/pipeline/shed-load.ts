import type { ServerResponse } from "node:http";
import type { NamedOperation } from "@platform/contracts/operations";
import { LRUCache } from "lru-cache";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { isFreeToRead } from "../http/connections.ts";
import { type EarlyRefusal, refuseEarly } from "../http/early-refusals.ts";
import type { LoadGate } from "../load/load-gate.ts";
import type { Slowdown } from "../load/slowdown.ts";
import type { TrafficRefusals } from "../load/traffic-refusals.ts";
import { createTrickle } from "../load/trickle.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import { corsHeaders } from "./cors.ts";
import type { Answer, Stage } from "./exchange.ts";
import { createTrafficDoor, type RefusedTraffic } from "./refuse-traffic.ts";
import { sendAnswer } from "./send-answer.ts";
import { answerText, shedAnswer } from "./shed-answer.ts";

/** Credentials seen to be good lately. Only these count as callers; whatever else is presented counts as the address it came from. */
const knownCallersMax = 10_000;

/** Refusals of used-up traffic that leave in each 5 ms: 2,000 a second, a small part of what the process can do. */
const refusalsPerBeat = 10;

/**
 * The same of refusals at the door: callers that repeat at once, whatever Retry-After says, must not be all that is done. It is three times
 * the 5,000 events a second that one process gets stored (row B1): when their store stands still while three times its capacity is asked, all
 * of that is refused, and should not have to wait for it.
 */
const shedPerBeat = 75;

/** Their part for each refused caller while another is refused nothing: what a flood costs its neighbours. */
const shedPerBeatOfCaller = 10;

/** Refusals at the door that may leave together: what comes in one turn of the event loop under load is answered in it. */
const shedAtOnceMax = 1_000;

/** What stands before the pipeline of every operation that is not proxied. */
export type Door = {
  /** Answers a request the process has no room for, and says that it did: nothing else happens for it. */
  refuse(response: ServerResponse, operation: NamedOperation, source: string, correlationId: string): boolean;
  /** Refuses a request that Node has made nothing of yet as it would be refused otherwise; null when it is not known to be. */
  refuseEarly(request: UnmadeRequest): EarlyRefusal | null;
  /** Begins a request's pipeline when it is its turn. */
  enter(response: ServerResponse, operation: NamedOperation, source: string, turn: Turn): void;
  /** A request that was let in is over, and its connection may bring the next one: it is left unread while its caller has enough waiting. */
  answered(response: ServerResponse, caller: string): void;
  /** Watches over what is done for a request that was let in. */
  readonly stage: Stage;
};

/** What becomes of a request that is let in. Until then nothing is made for it: what waits is copied by each collection of young objects. */
export type Turn = {
  /** It is its turn. `caller` is in whose name it runs; null where nobody's turn is kept. */
  begin(caller: string | null): void;
  /** The caller went away while it waited: it never begins. */
  gone(): void;
};

/** What the door has to know of a request. */
export type UnmadeRequest = {
  readonly operation: NamedOperation;
  readonly authorization: string | undefined;
  readonly source: string;
  readonly correlationId: string;
  /** Was X-Correlation-ID sent, but is no UUID? */
  readonly isCorrelationIdMalformed: boolean;
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
  const trickle = createTrickle(() => refusalsPerBeat);
  const shedTrickle = createTrickle(
    () => Math.min(shedPerBeat, shedPerBeatOfCaller * Math.max(1, gate.refusedCallers())),
    shedAtOnceMax,
  );
  const traffic = createTrafficDoor({ credentials, trafficRefusals, metrics });
  const known = new LRUCache<string, string>({ max: knownCallersMax });
  const callerOf = (authorization: string | undefined, source: string): string => {
    const mark = credentialMark(authorization);
    return (mark === null ? undefined : known.get(mark)) ?? source;
  };

  const isJudged = (operation: NamedOperation): boolean =>
    operation.id !== "edge.getHealth" && operation.transport !== "proxy";
  const isShed = (caller: string): boolean => {
    const reason = gate.refusal(caller);
    if (reason !== null) metrics.requestsShed.inc({ reason });
    return reason !== null;
  };

  return {
    refuse: (response, operation, source, correlationId) => {
      const { authorization } = response.req.headers;
      if (!isJudged(operation) || !isShed(callerOf(authorization, source))) return false;
      const send = (): void => sendAnswer(response, shedAnswer(correlationId), correlationId, corsHeaders(operation));
      const turn = shedTrickle.turn();
      if (turn === null) send();
      else void turn.then(send);
      return true;
    },
    refuseEarly: (request) => {
      const { operation, authorization, source, correlationId } = request;
      if (!isJudged(operation)) return null;
      if (isShed(callerOf(authorization, source))) {
        const answer = (): string => answerText(operation, correlationId, shedAnswer(correlationId));
        return { turn: shedTrickle.turn(), answer };
      }
      const refused = traffic.find("look", request);
      if (refused === null) return null;
      const { answer, quotaHeaders } = traffic.answer(operation, correlationId, refused);
      return { turn: trickle.turn(), answer: () => answerText(operation, correlationId, answer, quotaHeaders) };
    },
    enter: (response, operation, source, { begin, gone }) => {
      if (!isJudged(operation)) return begin(null);
      const caller = callerOf(response.req.headers.authorization, source);
      let isWaiting = false;
      const forget = gate.enter(caller, () => {
        if (isWaiting) response.off("close", leave);
        begin(caller);
      });
      if (forget === null) return;
      isWaiting = true;
      const leave = (): void => {
        forget();
        metrics.requestsShed.inc({ reason: "in_flight" });
        gone();
      };
      response.once("close", leave);
    },
    answered: (response, caller) => {
      const { socket } = response.req;
      // Only between two requests, and where nothing else has stopped the reading.
      if (!isFreeToRead(socket)) return;
      if (gate.hold(caller, () => void socket.resume())) socket.pause();
    },
    stage: async (exchange, next) => {
      const { caller } = exchange;
      if (caller === null) return next();
      const { authorization } = exchange.request.headers;
      let refused: RefusedTraffic | null = null;
      const startedAtMs = performance.now();
      try {
        const { operation, isCorrelationIdMalformed } = exchange;
        refused = traffic.find("find", { operation, authorization, isCorrelationIdMalformed });
        if (refused === null) {
          const answer = await next();
          const mark = exchange.client === null ? null : credentialMark(authorization);
          if (mark !== null && exchange.client !== null) {
            known.set(mark, exchange.client.id);
            // Else the address of a client's first requests would be another caller beside it, for whom it would be held back.
            if (caller !== exchange.client.id) gate.misnamed(caller);
          }
          if (isDone(answer)) slowdown.observe(exchange.operation.id, performance.now() - startedAtMs);
          return answer;
        }
      } finally {
        gate.leave(caller);
      }
      refuseEarly(exchange.request.socket, exchange.refuseWhole);
      exchange.client = refused.client;
      const { answer, quotaHeaders } = traffic.answer(exchange.operation, exchange.correlationId, refused);
      Object.assign(exchange.answerHeaders, quotaHeaders);
      const turn = trickle.turn();
      if (turn !== null) await turn;
      return answer;
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
