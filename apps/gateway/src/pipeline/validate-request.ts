import { hash } from "node:crypto";
import { changedNumberViolations, keepExactMembers } from "@platform/contracts/exact-body";
import { withSourceTexts } from "@platform/contracts/exact-json";
import { idempotencyKeyHeader } from "@platform/contracts/headers";
import type { Operation } from "@platform/contracts/operation";
import { type Violation, validate, violationsMax } from "@platform/contracts/violations";
import canonicalize from "canonicalize";
import { prepareBody } from "../prepared-bodies.ts";
import { contractViolation } from "./errors.ts";
import type { IdempotencyClaim } from "./exchange.ts";
import { type JsonScan, type ParsedJson, parseJson } from "./parse-json.ts";

/** The parts of a request that are validated by the record of its operation. They can be transferred to a thread. */
export type SentRequest = {
  readonly rawParams: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  /** The header as Node reads it, not yet validated. */
  readonly idempotencyKey: string | readonly string[] | undefined;
  /** The whole body. */
  readonly bytes: Buffer;
  /** The result of the scan of the body, if it has already been scanned. */
  readonly scan: JsonScan | null;
};

/**
 * A valid request: its path parameters, its body as the handler receives it, and the claim of its Idempotency-Key. A
 * thread can send it back.
 */
export type ValidatedRequest = {
  readonly params: unknown;
  readonly body: unknown;
  readonly idempotency: IdempotencyClaim | null;
};

/**
 * Validates key, path and body, prepares the body for the handler, and computes the fingerprint. It runs synchronously.
 * @param operation with its id, which selects how the body is prepared
 * @throws ServiceError contract_violation with every violation, unsupported_media_type
 */
export function validateRequest(
  operation: Operation & { readonly id: string },
  request: SentRequest,
): ValidatedRequest {
  const violations: Violation[] = [];
  const key = operation.idempotency === null ? null : readIdempotencyKey(operation.idempotency, request, violations);
  let params: unknown;
  if (operation.params !== null) {
    const validated = validate(operation.params, request.rawParams, "path:");
    if (validated.ok) params = validated.value;
    else violations.push(...validated.violations);
  }
  let sent: ParsedJson = noBody;
  let body: unknown;
  if (operation.body !== null) {
    if (request.bytes.byteLength === 0) {
      violations.push({ path: "/", code: "required", message: "a JSON body is required" });
    } else {
      sent = parseJson(request.bytes, request.contentType, request.scan);
      const validated = validate(operation.body, sent.value);
      if (validated.ok) body = validated.value;
      else violations.push(...validated.violations);
    }
    if (sent.exact !== sent.value) {
      violations.push(...changedNumberViolations(sent.exact, operation.body, violations));
      keepExactMembers(body, operation.body, sent.exact);
    }
  }
  if (violations.length > 0) throw contractViolation(violations.slice(0, violationsMax));
  return {
    params,
    body: body === undefined ? undefined : prepareBody(operation.id, body),
    idempotency: key === null ? null : { key, fingerprint: fingerprint(params, sent) },
  };
}

const noBody: ParsedJson = { value: null, exact: null };

function readIdempotencyKey(
  { maxLength }: { readonly maxLength: 120 | 255 },
  { idempotencyKey }: SentRequest,
  violations: Violation[],
): string | null {
  const key = validate(idempotencyKeyHeader(maxLength), idempotencyKey, "header:Idempotency-Key");
  if (key.ok) return key.value;
  violations.push(...key.violations);
  return null;
}

/**
 * Returns the fingerprint of a request: SHA-256 (hex) of the RFC 8785 form of path parameters and body. The body is
 * used as it was sent, because the validated copy may lack unknown properties. RFC 8785 writes numbers as doubles, so
 * the exact form is added if a double would change a number.
 */
function fingerprint(params: unknown, { value, exact }: ParsedJson): string {
  if (exact === value) return hash("sha256", canonicalForm({ params: params ?? {}, body: value }), "hex");
  const form = canonicalForm({ params: params ?? {}, body: withoutInfinities(value) });
  const texts = withSourceTexts(exact);
  return hash("sha256", texts === null ? form : form + canonicalForm(texts), "hex");
}

/**
 * Copies a value and replaces numbers beyond the range of a double by null, because RFC 8785 has no form for them. The
 * exact form contains their digits.
 */
function withoutInfinities(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutInfinities);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutInfinities(member)]));
}

/**
 * Returns the RFC 8785 form of a value. @throws ServiceError contract_violation for values that JSON.parse accepts but
 * RFC 8785 cannot represent, in properties that the contract leaves open
 */
function canonicalForm(value: unknown): string {
  try {
    return canonicalize(value) ?? "";
  } catch {
    throw contractViolation([{ path: "/", code: "invalid_format", message: "must hold no lone surrogate" }]);
  }
}
