import { hash } from "node:crypto";
import { isCallerOwned } from "@platform/contracts/caller-json";
import { changedNumbers, withSourceTexts } from "@platform/contracts/exact-json";
import { idempotencyKeyHeader } from "@platform/contracts/headers";
import { type Violation, validate, violationPath, violationsMax } from "@platform/contracts/violations";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import canonicalize from "canonicalize";
import type { z } from "zod";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { BodyRoom } from "../load/body-room.ts";
import { contractViolation } from "./contract-violation.ts";
import type { Exchange, Stage } from "./exchange.ts";
import { type ParsedJson, parseJson } from "./parse-json.ts";
import { bodyNotArrived, mayBeLarge, readBody } from "./read-body.ts";

/** Largest body in bytes, where the operation's record names no other. */
const bodyBytesMax = 1024 * 1024;

type MakeRoom = (bytes: number) => Promise<void>;

/** What came of a large body's wait for room. */
type Place = { giveBack: (() => void) | null; refusal: ServiceError | null };

/**
 * Reads and judges headers, path and body: every violation at once. What is wrong is only noted here and answered by the admission after
 * it, because a request is counted before it is judged (the count and the claim are one step in Redis). A large body is read once it has room,
 * and has it until the request is over; one that gets none in time is refused as at the door, and not counted.
 */
export function parseRequest({ bodyRoom, metrics }: ParseDependencies): Stage {
  const parseLarge: Stage = async (exchange, next) => {
    const place: Place = { giveBack: null, refusal: null };
    const makeRoom: MakeRoom = async (bytes) => {
      const signal = exchange.signal();
      place.giveBack = await bodyRoom.take(callerOf(exchange), bytes, signal);
      if (place.giveBack !== null) return;
      if (signal.aborted) throw bodyNotArrived();
      metrics.requestsShed.inc({ reason: "body_bytes" });
      place.refusal = noRoom();
      throw place.refusal;
    };
    try {
      await parseAndNote(exchange, makeRoom);
      if (place.refusal !== null) throw place.refusal;
      return await next();
    } finally {
      place.giveBack?.();
    }
  };
  return async (exchange, next) => {
    if (mayBeLarge(exchange.request)) return parseLarge(exchange, next);
    await parseAndNote(exchange, null);
    return next();
  };
}

type ParseDependencies = { readonly bodyRoom: BodyRoom; readonly metrics: Pick<GatewayMetrics, "requestsShed"> };

/** In whose name a body takes room. */
function callerOf({ client, session, source }: Exchange): string {
  return client?.id ?? session?.accountId ?? source;
}

function noRoom(): ServiceError {
  return new ServiceError(
    "dependency_unavailable",
    "The platform has no room for more large bodies now; try again shortly.",
    { retryAfterSeconds: 1 },
  );
}

async function parseAndNote(exchange: Exchange, makeRoom: MakeRoom | null): Promise<void> {
  try {
    await parse(exchange, makeRoom);
  } catch (error) {
    exchange.parseError = error as Error;
  }
}

async function parse(exchange: Exchange, makeRoom: MakeRoom | null): Promise<void> {
  const { operation, request } = exchange;
  const violations: Violation[] = [];
  let sent: ParsedJson = noBody;
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", "Send the body without Content-Encoding.");
  }
  const bytes = await readBody(request, operation.bodyBytesMax ?? bodyBytesMax, makeRoom);
  const key =
    operation.idempotency === null ? null : readIdempotencyKey(exchange, operation.idempotency.maxLength, violations);
  if (operation.params !== null) {
    const params = validate(operation.params, exchange.rawParams, "path:");
    if (params.ok) exchange.params = params.value;
    else violations.push(...params.violations);
  }
  if (operation.body !== null) {
    if (bytes.byteLength === 0) {
      violations.push({ path: "/", code: "required", message: "a JSON body is required" });
    } else {
      sent = parseJson(bytes, request.headers["content-type"]);
      const body = validate(operation.body, sent.value);
      if (body.ok) exchange.body = body.value;
      else violations.push(...body.violations);
    }
  }
  if (operation.body !== null && sent.exact !== sent.value) {
    noteChangedNumbers(sent.exact, operation.body, violations);
    keepExactMembers(exchange.body, operation.body, sent.exact);
  }
  if (violations.length > 0) throw contractViolation(violations.slice(0, violationsMax));
  if (key !== null) exchange.idempotency = { key, fingerprint: fingerprint(exchange.params, sent) };
}

const noBody: ParsedJson = { value: null, exact: null };

/** Notes the numbers that a double would change where the platform, not the caller, reads them; a place that is wrong already is noted once. */
function noteChangedNumbers(exact: unknown, schema: z.ZodType, violations: Violation[]): void {
  if (typeof exact !== "object" || exact === null) return;
  const noted = new Set(violations.map(({ path }) => path));
  for (const [name, member] of Object.entries(exact)) {
    if (isCallerOwned(schema, name)) continue;
    for (const place of changedNumbers(member)) {
      if (violations.length >= violationsMax) return;
      const path = violationPath("", [name, ...place]);
      if (!noted.has(path)) violations.push({ path, code: "invalid_value", message: notHeldByDouble });
    }
  }
}

const notHeldByDouble = "must be a number that a double holds to its last digit";

/** Puts the members that callers own in the place of those whose numbers lost digits. */
function keepExactMembers(body: unknown, schema: z.ZodType, exact: unknown): void {
  if (typeof body !== "object" || body === null) return;
  const members = body as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    if (isCallerOwned(schema, name)) members[name] = (exact as Record<string, unknown>)[name];
  }
}

function readIdempotencyKey(exchange: Exchange, maxLength: 120 | 255, violations: Violation[]): string | null {
  const header = exchange.request.headers["idempotency-key"];
  const key = validate(idempotencyKeyHeader(maxLength), header, "header:Idempotency-Key");
  if (key.ok) return key.value;
  violations.push(...key.violations);
  return null;
}

/**
 * SHA-256 (hex) of the RFC 8785 form of path parameters and body: two requests with one fingerprint ask for the same thing. The body is
 * taken as it was sent, because a validated copy may lack properties the contract does not name. RFC 8785 writes numbers as doubles, so
 * a second form follows where a double would change one of them.
 */
function fingerprint(params: unknown, { value, exact }: ParsedJson): string {
  const form = canonicalForm({ params: params ?? {}, body: value });
  const texts = exact === value ? null : withSourceTexts(exact);
  return hash("sha256", texts === null ? form : form + canonicalForm(texts), "hex");
}

/** @throws ServiceError contract_violation for what JSON.parse reads and RFC 8785 has no form for, in properties the contract leaves open */
function canonicalForm(value: unknown): string {
  try {
    return canonicalize(value) ?? "";
  } catch {
    throw contractViolation([
      { path: "/", code: "invalid_format", message: "must hold no number beyond a double and no lone surrogate" },
    ]);
  }
}
