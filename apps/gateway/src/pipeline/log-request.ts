import { hash } from "node:crypto";
import type { CallingClient } from "../handler.ts";
import type { LoggedRequest, RequestLog } from "../request-log.ts";
import type { Answer, Exchange } from "./exchange.ts";

const keyHashLength = 16;

/**
 * Adds a request with an accepted credential to the request log. Rejected and failed requests are always added;
 * successful ones are sampled at the client's success ratio.
 */
export function logRequest(
  log: RequestLog,
  client: CallingClient,
  exchange: Exchange,
  { status, answer, durationMs }: { readonly status: number; readonly answer: Answer; readonly durationMs: number },
): void {
  const { errorCode: code } = exchange;
  if (!log.wants(client, code === null && status < 400)) return;
  log.add(client.id, {
    ...lineOf(exchange),
    status,
    code,
    durationMs: Math.round(durationMs * 100) / 100,
    credentialId: client.credentialId,
    replayed: answer.kind === "body" && answer.headers?.["idempotency-replayed"] === "true",
  });
}

/** Adds a request that admission control rejected. Its credential was accepted recently and is not checked again. */
export function logShedRequest(
  log: RequestLog,
  clientId: string,
  exchange: Exchange,
  { status, code }: { readonly status: number; readonly code: string },
): void {
  if (!log.wants({ id: clientId, environment: "", successRatio: null }, false)) return;
  const [, credentialId = ""] =
    /^Bearer pcred_([0-9a-f]{32})_/i.exec(exchange.request.headers.authorization ?? "") ?? [];
  const durationMs = Math.round((performance.now() - exchange.startedAtMs) * 100) / 100;
  log.add(clientId, { ...lineOf(exchange), status, code, durationMs, credentialId, replayed: false });
}

function lineOf({ operation, network, correlationId, request }: Exchange) {
  const key = request.headers["idempotency-key"];
  return {
    at: new Date(),
    operation: operation.id,
    method: operation.method,
    network,
    correlationId,
    idempotencyKeyHash: typeof key === "string" ? hash("sha256", key, "hex").slice(0, keyHashLength) : null,
  } satisfies Partial<LoggedRequest>;
}
