import { errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import { changedNumberViolations, keepExactMembers } from "@platform/contracts/exact-body";
import { parseExactly } from "@platform/contracts/exact-json";
import { correlationIdHeader, idempotencyKeyHeader } from "@platform/contracts/headers";
import type { NamedOperation } from "@platform/contracts/operations";
import { operationList } from "@platform/contracts/operations";
import { type Validation, validate } from "@platform/contracts/violations";
import { check, Refusal } from "./fail.ts";
import type { Handler, Valid } from "./handler.ts";
import { handlers } from "./handlers.ts";
import { type Data, newId, type State, spend } from "./state.ts";

const prefix = "/api/v1";

type Route = { readonly operation: NamedOperation; readonly pattern: RegExp; readonly names: readonly string[] };

const routes: readonly Route[] = operationList.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, "([^/]+)")}$`),
  names: [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name),
}));

/** Responds to one request as the platform would: route, credential, schemas, quota, key, operation. */
export async function answer(state: State, request: Request): Promise<Response> {
  const correlationId = correlationIdOf(request);
  const path = new URL(request.url).pathname;
  const matching = routes.filter(({ pattern }) => path.startsWith(prefix) && pattern.test(path.slice(prefix.length)));
  const route = matching.find(({ operation }) => operation.method === request.method);
  if (route === undefined) {
    return errorAnswer(
      new Refusal(matching.length === 0 ? "route_not_found" : "method_not_allowed"),
      null,
      correlationId,
    );
  }
  const { operation, names } = route;
  const [, ...values] = route.pattern.exec(path.slice(prefix.length)) ?? [];
  const params = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? "")]));
  const seen = {
    operationId: operation.id,
    params,
    body: null as unknown,
    exact: null as unknown,
    idempotencyKey: request.headers.get("idempotency-key"),
  };
  const response = await carryOut(state, request, operation, seen, correlationId).catch((error: unknown) => {
    if (error instanceof Refusal) return errorAnswer(error, operation, correlationId);
    throw error;
  });
  const { exact: _, ...shown } = seen;
  state.requests.push({ ...shown, status: response.status } as State["requests"][number]);
  return response;
}

async function carryOut(
  state: State,
  request: Request,
  operation: NamedOperation,
  seen: { params: Record<string, string>; body: unknown; exact: unknown; readonly idempotencyKey: string | null },
  correlationId: string,
): Promise<Response> {
  const accountId = authenticate(state, request, operation);
  const bytes = new Uint8Array(await request.arrayBuffer());
  Object.assign(seen, bodyOf(operation, request, bytes));
  const { params, body, idempotencyKey } = validated(operation, seen);
  const failing = state.nextFailures.findIndex(({ operationId }) => operationId === operation.id);
  if (failing >= 0) throw new Refusal(state.nextFailures.splice(failing, 1)[0]?.code as ErrorCode);
  const contentType = (request.headers.get("content-type") ?? "").split(";")[0] ?? "";
  const run = (): unknown => {
    spendQuotas(state, operation, body);
    const handler: Handler = handlers[operation.id];
    const valid: Valid = { params, body, bytes, contentType, idempotencyKey, correlationId, accountId };
    // The copy goes through JSON, as over the network, so that the response does not change later.
    return readJson(JSON.stringify(handler(state, valid))).exact;
  };
  if (operation.idempotency === null) return success(operation, run(), correlationId, false);
  const name = `${operation.id} ${idempotencyKey}`;
  const sent = JSON.stringify([params, body]);
  const known = state.outcomes.get(name);
  if (known === undefined) {
    const outcome = run();
    state.outcomes.set(name, { request: sent, status: operation.status, body: outcome });
    return success(operation, outcome, correlationId, false);
  }
  check(known.request === sent, "idempotency_key_reused");
  if (operation.idempotency.replay === "refuse") throw new Refusal("upload_grant_already_issued");
  return success(
    operation,
    replayed(known.body, correlationId),
    correlationId,
    operation.idempotency.replay === "outcome",
  );
}

/** A replay is marked in its `meta`, if it has one. */
function replayed(body: unknown, correlationId: string): unknown {
  const { meta } = body as Data;
  return meta === undefined
    ? body
    : { ...(body as Data), meta: { ...meta, replayed: true, correlation_id: correlationId } };
}

/** Checks the credential, and returns the account of a Platform Session. */
function authenticate(
  { credential, sessions, projectClient }: State,
  request: Request,
  operation: NamedOperation,
): string {
  const presented = /^Bearer (\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  const { auth } = operation;
  if (auth.scheme === "none") return "";
  if (auth.scheme === "platformSession") {
    const accountId = sessions.get(presented ?? "");
    if (accountId === undefined) throw new Refusal("unauthenticated");
    return accountId;
  }
  check(presented === credential, "unauthenticated");
  if (!projectClient.scopes.includes(auth.scope)) {
    throw new Refusal("insufficient_scope", { required_scope: auth.scope });
  }
  return "";
}

/** A body as JavaScript values, together with the digits of its numbers as they were sent. */
type SentBody = { readonly body: unknown; readonly exact: unknown };

/**
 * True if this runtime can keep a number's digits (`JSON.rawJSON`, from Node 21 on). Without it, a number beyond a
 * double is returned as null.
 */
const keepsDigits = "rawJSON" in JSON;

function readJson(text: string): SentBody {
  const body: unknown = JSON.parse(text);
  return { body, exact: keepsDigits ? parseExactly(text) : body };
}

function bodyOf({ body, rawBody }: NamedOperation, request: Request, bytes: Uint8Array): SentBody {
  if (body === null) return { body: null, exact: null };
  const type = (request.headers.get("content-type") ?? "").split(";")[0]?.trim();
  const text = new TextDecoder().decode(bytes);
  if (rawBody !== undefined) {
    const fields = Object.fromEntries(new URLSearchParams(text));
    return { body: fields, exact: fields };
  }
  check(type === "application/json", "unsupported_media_type");
  try {
    return readJson(text);
  } catch {
    throw new Refusal("contract_violation", {
      violations: [{ path: "/", code: "invalid_json", message: "must be JSON" }],
    });
  }
}

/** Parameters, key and body as handlers see them, or all violations. */
function validated(
  { params, body, idempotency }: NamedOperation,
  sent: SentBody & { readonly params: Record<string, string>; readonly idempotencyKey: string | null },
) {
  const key = sent.idempotencyKey ?? undefined;
  const results = {
    params: params === null ? null : validate(params, sent.params, "path:"),
    key:
      idempotency === null
        ? null
        : validate(idempotencyKeyHeader(idempotency.maxLength), key, "header:Idempotency-Key"),
    body: body === null ? null : validate(body, sent.body),
  };
  const violations = Object.values(results).flatMap((one: Validation<unknown> | null) =>
    one?.ok === false ? one.violations : [],
  );
  if (body !== null) violations.push(...changedNumberViolations(sent.exact, body, violations));
  if (violations.length > 0) throw new Refusal("contract_violation", { violations });
  if (results.body?.ok && body !== null) keepExactMembers(results.body.value, body, sent.exact);
  return {
    params: results.params?.ok ? (results.params.value as Record<string, string>) : {},
    body: (results.body?.ok ? results.body.value : {}) as Data,
    idempotencyKey: key ?? "",
  };
}

function spendQuotas(state: State, { auth, quota }: NamedOperation, body: Data): void {
  const costs = [
    ...(auth.scheme === "projectCredential" ? ([["api_traffic", 1]] as const) : []),
    ...(quota === null ? [] : ([[quota.resource, quota.amount === 1 ? 1 : body[quota.amount.bodyField]]] as const)),
  ];
  for (const [resource, units] of costs) {
    const refused = spend(state, resource, units);
    if (refused !== null) throw new Refusal("platform_quota_exceeded", refused);
  }
}

function correlationIdOf(request: Request): string {
  const sent = validate(correlationIdHeader, request.headers.get("x-correlation-id") ?? undefined);
  return sent.ok ? sent.value : newId();
}

function success(operation: NamedOperation, body: unknown, correlationId: string, isReplayed: boolean): Response {
  const headers = { "x-correlation-id": correlationId, ...(isReplayed ? { "idempotency-replayed": "true" } : {}) };
  if (operation.response !== null) return Response.json(body, { status: operation.status, headers });
  return new Response(null, {
    status: operation.status,
    headers: { ...headers, location: "/api/v1/identity-migration/start" },
  });
}

function errorAnswer({ code, details }: Refusal, operation: NamedOperation | null, correlationId: string): Response {
  const { meaning: message, retryable } = errorCodes[code];
  const status = errorStatus(code, operation);
  const error = { code, message, retryable, correlation_id: correlationId, details };
  const retryAfter = status === 429 || status === 503 || code === "idempotency_in_progress";
  const headers = { "x-correlation-id": correlationId, ...(retryAfter ? { "retry-after": "1" } : {}) };
  return Response.json({ error }, { status, headers });
}
