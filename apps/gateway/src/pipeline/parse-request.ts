import { hash } from "node:crypto";
import { changedNumberViolations, keepExactMembers } from "@platform/contracts/exact-body";
import { withSourceTexts } from "@platform/contracts/exact-json";
import { idempotencyKeyHeader } from "@platform/contracts/headers";
import { type Violation, validate, violationsMax } from "@platform/contracts/violations";
import { ServiceError } from "@platform/kit/rpc/errors";
import canonicalize from "canonicalize";
import type { AdmissionControl } from "../admission-control/admission-control.ts";
import type { Release } from "../admission-control/fair-limiter.ts";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import { contractViolation, processFull } from "./errors.ts";
import type { Exchange, Stage } from "./exchange.ts";
import { type ParsedJson, parseJson } from "./parse-json.ts";
import { bodyNotArrived, mayBeLarge, readBody, smallBodyBytes } from "./read-body.ts";

/** Largest body in bytes, where the operation's record names no other. */
const bodyBytesMax = 1024 * 1024;

/** What a body that may be large waits for: memory before it is read, and its caller's turn before it is parsed. */
type LargeBody = {
  readonly reserve: (bytes: number) => Promise<void>;
  readonly takeTurn: (work: () => void) => Promise<void>;
};

type ParseDependencies = {
  readonly admissionControl: Pick<AdmissionControl, "bodyBytes" | "parsing">;
  readonly metrics: Pick<GatewayMetrics, "requestsShed">;
};

/**
 * Reads and validates headers, path and body, and collects every violation. The metering after it reports them, because a request is counted before
 * it is refused (count and claim are one step in Redis). A large body is read once memory is reserved for it, until the request is over, and is parsed
 * in its caller's turn; without memory or a turn in time it is refused and not counted. The body of a proxied request is read by its service.
 */
export function parseRequest({ admissionControl, metrics }: ParseDependencies): Stage {
  const { bodyBytes, parsing } = admissionControl;
  const parseLarge: Stage = async (exchange, next) => {
    let release: Release | null = null;
    let refusal: ServiceError | null = null;
    const refuse = (reason: "body_bytes" | "parsing"): ServiceError => {
      if (exchange.signal().aborted) return bodyNotArrived();
      metrics.requestsShed.inc({ reason });
      refusal = processFull();
      return refusal;
    };
    const large: LargeBody = {
      reserve: async (bytes) => {
        release = await bodyBytes.enter(callerOf(exchange), bytes, exchange.signal);
        if (release === null) throw refuse("body_bytes");
      },
      takeTurn: async (work) => {
        if (!(await parsing.run(callerOf(exchange), work, exchange.signal()))) throw refuse("parsing");
      },
    };
    try {
      await parseAndNote(exchange, large);
      if (refusal !== null) throw refusal;
      return await next();
    } finally {
      (release as Release | null)?.();
    }
  };
  return (exchange, next) => {
    if (exchange.operation.transport === "proxy") {
      exchange.params = judgePath(exchange);
      return next();
    }
    return mayBeLarge(exchange.request) ? parseLarge(exchange, next) : parseAndNote(exchange, null).then(next);
  };
}

/** The caller whose shares of memory and of parsing a body uses. */
function callerOf({ client, session, network }: Exchange): string {
  return client?.id ?? session?.accountId ?? network;
}

/** @throws ServiceError contract_violation */
function judgePath({ operation, rawParams }: Exchange): unknown {
  if (operation.params === null) return undefined;
  const params = validate(operation.params, rawParams, "path:");
  if (!params.ok) throw contractViolation(params.violations);
  return params.value;
}

async function parseAndNote(exchange: Exchange, large: LargeBody | null): Promise<void> {
  try {
    await parse(exchange, large);
  } catch (error) {
    exchange.parseError = error as Error;
  }
}

async function parse(exchange: Exchange, large: LargeBody | null): Promise<void> {
  const { operation, request } = exchange;
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", "Send the body without Content-Encoding.");
  }
  const bytes = await readBody(request, operation.bodyBytesMax ?? bodyBytesMax, large?.reserve ?? null);
  if (large === null || bytes.byteLength <= smallBodyBytes) judge(exchange, bytes);
  else await large.takeTurn(() => judge(exchange, bytes));
}

/** Validates key, path and body. @throws ServiceError contract_violation with every violation, unsupported_media_type */
function judge(exchange: Exchange, bytes: Buffer): void {
  const { operation, request } = exchange;
  const violations: Violation[] = [];
  let sent: ParsedJson = noBody;
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
    violations.push(...changedNumberViolations(sent.exact, operation.body, violations));
    keepExactMembers(exchange.body, operation.body, sent.exact);
  }
  if (violations.length > 0) throw contractViolation(violations.slice(0, violationsMax));
  if (key !== null) exchange.idempotency = { key, fingerprint: fingerprint(exchange.params, sent) };
}

const noBody: ParsedJson = { value: null, exact: null };

function readIdempotencyKey(exchange: Exchange, maxLength: 120 | 255, violations: Violation[]): string | null {
  const header = exchange.request.headers["idempotency-key"];
  const key = validate(idempotencyKeyHeader(maxLength), header, "header:Idempotency-Key");
  if (key.ok) return key.value;
  violations.push(...key.violations);
  return null;
}

/**
 * Fingerprint of a request: SHA-256 (hex) of the RFC 8785 form of path parameters and body as sent, because the validated copy may lack unknown
 * properties. RFC 8785 writes numbers as doubles, so the exact form is added where a double would change a number.
 */
function fingerprint(params: unknown, { value, exact }: ParsedJson): string {
  if (exact === value) return hash("sha256", canonicalForm({ params: params ?? {}, body: value }), "hex");
  const form = canonicalForm({ params: params ?? {}, body: withoutInfinities(value) });
  const texts = withSourceTexts(exact);
  return hash("sha256", texts === null ? form : form + canonicalForm(texts), "hex");
}

/** A copy in which the numbers beyond a double, for which RFC 8785 has no form, are null. Their digits are in the exact form. */
function withoutInfinities(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutInfinities);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutInfinities(member)]));
}

/** @throws ServiceError contract_violation for what JSON.parse reads and RFC 8785 has no form for, in properties the contract leaves open */
function canonicalForm(value: unknown): string {
  try {
    return canonicalize(value) ?? "";
  } catch {
    throw contractViolation([{ path: "/", code: "invalid_format", message: "must hold no lone surrogate" }]);
  }
}
