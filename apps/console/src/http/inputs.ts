import { type FieldKind, formName } from "@platform/contracts/operator/resource";
import { resources } from "@platform/contracts/operator/resources";
import type { Request, RequestHandler } from "express";
import { PageProblem } from "./page-problem.ts";

/** The part of a request that contains an input. */
export type InputKind = "query" | "field" | "path" | "header";

/** Maximum length of an id; of a name or a code; and of a list of them. */
const [short, line, long] = [200, 1_000, 4_096];

/**
 * Maximum length of each input that any route reads, in UTF-16 code units. A route cannot read an input that is not
 * listed here. Services have their own bounds, which are usually lower. These bounds keep the console from processing
 * an input that no service accepts.
 */
const inputs: Readonly<Record<InputKind, Readonly<Record<string, number>>>> = {
  query: {
    account: short, action: short, actor: short, after: 15, back: long, before: 15, campaign: short, channel: short, client: short, client_id: short, credential: short, correlation_id: short,
    cursor: line, email: line, endpoint: short, environment: short, error_code: short, expires_within_days: 10, form: short, format: short, key: short, kind: short, legacy_subject: line, operation: short, project: short, purpose: short, q: line,
    resource: short, resource_id: long, resource_type: short, rpc: line, since: short, sort: short, status: short, template: short, type: short, until: short, upload: short, who: line,
    // Inputs of the sign-in: the provider; the path to continue to, which is shortened to the length that its cookie
    // can store; and the provider's response (RFC 6749, 4.1.2; RFC 9207).
    as: short, fresh: short, to: 8_192, code: long, state: short, iss: line, error: short, error_description: long, error_uri: long, session_state: line, scope: line,
  },
  field: {
    account: short, address: long, campaign: short, catalog: 6 * 1024 * 1024, channel: short,
    channel_access_token: long, client: short, client_email: line, config: 60_000, confirm: line, csrf: short, currency: short, days: short,
    email: line, environment: short, form: short, from: short, hash: short, head: short, headers: 16_384,
    key_id: short, kind: short, language: short, legacy_subject: line, limit: short, logout_token: 65_536, mode: short, name: line, operation: short, order: short, overlap: short,
    platform_events: short, policy: short, private_key: 16_384, public_key: long, reason: 2_000, resource: short, revision: 10, return_uris: 32_768, secret: long, seq: short, smtp_url: long, step: short, success_ratio: short,
    timezone: short, to: long, types: 16_384, url: long,
  },
  path: { id: short, project: short },
  header: { "last-event-id": 15, "x-correlation-id": short, origin: line, "sec-fetch-site": short },
}; // biome-ignore format: lists

/** Prefixes of inputs whose names contain other names: the variables of a template, and the scopes of a credential. */
const families: Readonly<Partial<Record<InputKind, readonly (readonly [prefix: string, max: number])[]>>> = {
  query: [["v_", line]],
  field: [["scope_", short]],
};

const longest: Readonly<Partial<Record<FieldKind, number>>> = { text: long, url: long, texts: 16_384 };

/** Fields of the forms in the operator table, whose bounds are derived from the table. */
const tableFields = new Map(
  resources
    .flatMap(({ operations }) => operations)
    .flatMap(({ fields }) => fields)
    .map((field) => [formName(field), longest[field.kind] ?? short]),
);

/** Maximum length of a path segment, for every route. */
const segmentMax = short;

/** Returns the maximum length of an input, or null if no route may read it. */
export function boundOf(kind: InputKind, name: string): number | null {
  const own = Object.hasOwn(inputs[kind], name) ? inputs[kind][name] : undefined;
  const ofTable = kind === "field" ? tableFields.get(name) : undefined;
  return own ?? ofTable ?? families[kind]?.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}

/**
 * Returns the text of an input for a route: trimmed, and empty if it is missing or given twice. Throws if the input is
 * not listed.
 */
export function readInput(kind: InputKind, values: unknown, name: string): string {
  requireListed(kind, name);
  const value = typeof values === "object" && values !== null ? (values as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" ? value.trim() : "";
}

/** Returns whether a request has an input, even if it is empty. Throws if the input is not listed. */
export function hasInput(kind: InputKind, values: unknown, name: string): boolean {
  requireListed(kind, name);
  return typeof values === "object" && values !== null && Object.hasOwn(values, name);
}

function requireListed(kind: InputKind, name: string): void {
  if (boundOf(kind, name) === null) throw new Error(`no bound is known for the ${kind} ${name}: list it in inputs.ts`);
}

/**
 * Rejects a request whose path, query or headers contain a text longer than its bound. Inputs that no route reads are
 * ignored.
 */
export const boundInputs: RequestHandler = (request, _response, next) => {
  if (request.path.split("/").some((segment) => segment.length > segmentMax))
    throw tooLong("path", "segment", segmentMax);
  requireBounded("query", request.query);
  requireBounded("header", request.headers);
  next();
};

/** Rejects a parsed form with a field that is longer than its bound. */
export const requireBoundedForm = ({ body }: Request): void => requireBounded("field", body);

function requireBounded(kind: InputKind, values: unknown): void {
  for (const [name, value] of Object.entries((values ?? {}) as Record<string, unknown>)) {
    const max = boundOf(kind, name);
    const texts = Array.isArray(value) ? value : [value];
    if (max !== null && texts.some((text) => typeof text === "string" && text.length > max))
      throw tooLong(kind, name, max);
  }
}

const tooLong = (kind: InputKind, name: string, max: number): PageProblem =>
  new PageProblem(422, "This cannot be done", `The ${kind} ${name} has more than ${max} characters. Shorten it.`);
