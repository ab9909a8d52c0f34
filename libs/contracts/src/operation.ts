import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { QuotaResource } from "./quotas.ts";
import type { Scope } from "./scopes.ts";
import type { ServiceName } from "./services.ts";

/** Authentication that an operation requires. */
export type OperationAuth =
  | { readonly scheme: "none" }
  | { readonly scheme: "projectCredential"; readonly scope: Scope }
  | { readonly scheme: "platformSession" };

/** The service an operation belongs to; the gateway handles `edge` operations itself. */
export type Upstream = "edge" | ServiceName;

/**
 * Transport of a request behind the gateway. `call`: a handler makes one gRPC call. `proxy`: bytes or pages are streamed to the owning service's
 * HTTP port, and that service checks the body.
 */
export type Transport = "call" | "proxy";

/** Handling of the Idempotency-Key by an operation. */
export type IdempotencyRule = {
  /** Longest key accepted, in characters. */
  readonly maxLength: 120 | 255;
  /**
   * `outcome`: the gateway keeps the first outcome and replays it. `service`: the response contains a secret that may
   * not be stored, so the owning service responds to a repeat and derives the secret again. `refuse`: the owning
   * service rejects a repeat, because its response contains a secret that is shown only once.
   */
  readonly replay: "outcome" | "service" | "refuse";
  /** Status of `idempotency_key_reused`. */
  readonly reusedStatus: 409 | 422;
};

/** Units of a hard quota that one accepted request spends, in addition to api_traffic. */
export type QuotaRule = {
  readonly resource: QuotaResource;
  /** Units spent: 1, or the value of an integer property of the body. */
  readonly amount: 1 | { readonly bodyField: string };
};

/** One operation of the gateway. Routes, middleware, OpenAPI, metric labels, log fields and the test matrix derive from this record. */
export type Operation = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /**
   * Path below /api/v1, with parameters in braces: `/file-objects/{fileObjectId}/complete`. A final `{name+}` matches any rest of a path.
   */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly upstream: Upstream;
  readonly transport: Transport;
  /** False for pages and bytes behind links, which are routed but not part of the published API. */
  readonly published?: false;
  /** True for a health probe, which has its own capacity while the process is full. */
  readonly isProbe?: true;
  readonly auth: OperationAuth;
  /** True if X-Correlation-ID is a declared header, so that a malformed one is rejected. */
  readonly correlationIdDeclared: boolean;
  readonly idempotency: IdempotencyRule | null;
  readonly quota: QuotaRule | null;
  /** Path parameters; null when the path has none. */
  readonly params: z.ZodType<Record<string, string>> | null;
  /** JSON request body; null when the operation takes none. */
  readonly body: z.ZodType | null;
  /** Largest request body in bytes, if it is not the default of 1 MiB. */
  readonly bodyBytesMax?: number;
  /** Media types of a body that is not JSON (uploads, forms), for OpenAPI. */
  readonly rawBody?: readonly string[];
  /** Status of the success response. */
  readonly status: 200 | 201 | 202 | 303;
  /** The complete success body, including the `data` wrapper; null for a page or bytes. */
  readonly response: z.ZodType | null;
  /** Domain errors in addition to those of every operation of its kind (401, 403, 422 contract_violation, 429, 5xx). */
  readonly errors: readonly ErrorCode[];
  /** Statuses that differ from the vocabulary's. */
  readonly errorStatuses?: { readonly [Code in ErrorCode]?: number };
  /**
   * Set if pages of any origin may call the operation, without credentials. Lists headers in addition to those that
   * every such page may send and read.
   */
  readonly cors?: { readonly sent: readonly string[]; readonly read: readonly string[] };
  /** False while no service implements it: the gateway returns 503 dependency_unavailable. */
  readonly served: boolean;
};

/** A family of operations, by id (`files.createUploadGrant`). The id is used everywhere. */
export type OperationFamily = Record<string, Operation>;

/** The ids of a family that need a handler in the gateway. */
export type CallOperationId<T extends OperationFamily> = {
  [Id in keyof T]: T[Id]["transport"] extends "call" ? Id : never;
}[keyof T];

/** Body as a handler sees it: validated, defaults applied. */
export type BodyOf<O extends Operation> = O["body"] extends z.ZodType ? z.output<O["body"]> : undefined;

/** Path parameters as a handler sees them. */
export type ParamsOf<O extends Operation> = O["params"] extends z.ZodType
  ? z.output<O["params"]>
  : Record<never, string>;

/** The `data` of an operation's success response. */
export type DataOf<O extends Operation> = O["response"] extends z.ZodType<{ data: infer D }> ? D : unknown;

/** The auth of an operation that a Project Credential with `scope` may call. */
export function projectCredential<S extends Scope>(scope: S) {
  return { scheme: "projectCredential", scope } as const;
}

/** The auth of an operation that a recently authenticated Platform Session may call. */
export const platformSession = { scheme: "platformSession" } as const;

/** The auth of an operation that anyone may call, because a single-use or signed token protects it or it reveals nothing. */
export const noAuth = { scheme: "none" } as const;

/** The usual Idempotency-Key rule: a repeat gets the first outcome. */
export const replayedKey = {
  maxLength: 120,
  replay: "outcome",
  reusedStatus: 422,
} as const satisfies IdempotencyRule;

/** The Idempotency-Key rule of operations whose response contains a secret that an identical retry recovers. */
export const recoveredKey = {
  maxLength: 120,
  replay: "service",
  reusedStatus: 422,
} as const satisfies IdempotencyRule;
