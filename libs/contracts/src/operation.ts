import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import type { QuotaResource } from "./quotas.ts";
import type { Scope } from "./scopes.ts";
import type { HttpServiceName, ServiceName } from "./services.ts";

/** Authentication that an operation requires. */
export type OperationAuth =
  | { readonly scheme: "none" }
  | { readonly scheme: "projectCredential"; readonly scope: Scope }
  | { readonly scheme: "platformSession" };

/** The service that owns an operation. The gateway itself handles operations of `edge`. */
export type Upstream = "edge" | ServiceName;

/**
 * How the gateway forwards a request. `call`: a handler makes one gRPC call. `proxy`: bytes or pages are streamed from
 * or to the HTTP port of the owning service, which checks the body.
 */
type Route =
  | { readonly transport: "call"; readonly upstream: Upstream }
  | { readonly transport: "proxy"; readonly upstream: HttpServiceName };

export type Transport = Route["transport"];

/** How an operation handles the Idempotency-Key. */
export type IdempotencyRule = {
  /** Maximum length of an accepted key, in characters. */
  readonly maxLength: 120 | 255;
  /**
   * What happens to a repeat. `outcome`: the gateway stores the first outcome and returns it again. `service`: the
   * response contains a secret that must not be stored, so the owning service responds to a repeat and derives the
   * secret again. `refuse`: the owning service rejects a repeat, because its response contains a secret that is shown
   * only once.
   */
  readonly replay: "outcome" | "service" | "refuse";
  /** Status of `idempotency_key_reused`. */
  readonly reusedStatus: 409 | 422;
};

/** The units of a hard quota that an accepted request spends, in addition to api_traffic. */
export type QuotaRule = {
  readonly resource: QuotaResource;
  /** Number of units: 1, or the value of an integer property of the body. */
  readonly amount: 1 | { readonly bodyField: string };
};

/** One operation of the gateway. Routes, middleware, OpenAPI, metric labels, log fields and the test matrix derive from this record. */
export type Operation = Route & {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /**
   * Path below /api/v1, with parameters in braces: `/file-objects/{fileObjectId}/complete`. A final `{name+}` matches
   * all remaining segments of a path.
   */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** False for pages and bytes behind links. The gateway routes them, but they are not part of the published API. */
  readonly published?: false;
  /** True for a health probe, for which capacity is reserved while the process is fully loaded. */
  readonly isProbe?: true;
  readonly auth: OperationAuth;
  /** True if X-Correlation-ID is a declared header, so that a malformed one is rejected. */
  readonly correlationIdDeclared: boolean;
  readonly idempotency: IdempotencyRule | null;
  readonly quota: QuotaRule | null;
  /** Schema of the path parameters; null if the path has none. */
  readonly params: z.ZodType<Record<string, string>> | null;
  /** Schema of the JSON request body; null if the operation takes none. */
  readonly body: z.ZodType | null;
  /** Maximum size of a request body in bytes; 1 MiB if absent. */
  readonly bodyBytesMax?: number;
  /** Media types of a body that is not JSON (uploads, forms), for OpenAPI. */
  readonly rawBody?: readonly string[];
  /** Status of the success response. */
  readonly status: 200 | 201 | 202 | 303;
  /** Schema of the complete success body, including the `data` wrapper; null for a page or bytes. */
  readonly response: z.ZodType | null;
  /** Domain errors in addition to those of every operation of its kind (401, 403, 422 contract_violation, 429, 5xx). */
  readonly errors: readonly ErrorCode[];
  /** Statuses that differ from those in the vocabulary. */
  readonly errorStatuses?: { readonly [Code in ErrorCode]?: number };
  /**
   * Set if web pages of any origin may call the operation, without credentials. Lists headers in addition to those that
   * every such page may send and read.
   */
  readonly cors?: { readonly sent: readonly string[]; readonly read: readonly string[] };
  /** False if no service implements the operation yet. The gateway then returns 503 dependency_unavailable. */
  readonly served: boolean;
};

/** A family of operations by id (`files.createUploadGrant`). The same id is used in code, metrics and logs. */
export type OperationFamily = Record<string, Operation>;

/** The ids of operations in a family that need a handler in the gateway. */
export type CallOperationId<T extends OperationFamily> = {
  [Id in keyof T]: T[Id]["transport"] extends "call" ? Id : never;
}[keyof T];

/** Type of the body that a handler receives: validated, and with defaults applied. */
export type BodyOf<O extends Operation> = O["body"] extends z.ZodType ? z.output<O["body"]> : undefined;

/** Type of the path parameters that a handler receives. */
export type ParamsOf<O extends Operation> = O["params"] extends z.ZodType
  ? z.output<O["params"]>
  : Record<never, string>;

/** Type of the `data` in an operation's success response. */
export type DataOf<O extends Operation> = O["response"] extends z.ZodType<{ data: infer D }> ? D : unknown;

/** Returns the auth of an operation that requires a Project Credential with `scope`. */
export function projectCredential<S extends Scope>(scope: S) {
  return { scheme: "projectCredential", scope } as const;
}

/** The auth of an operation that requires a recently authenticated Platform Session. */
export const platformSession = { scheme: "platformSession" } as const;

/**
 * The auth of an operation that anyone may call, because a single-use or signed token protects it, or because it
 * reveals nothing.
 */
export const noAuth = { scheme: "none" } as const;

/** The usual rule for Idempotency-Keys: a repeat gets the first outcome. */
export const replayedKey = {
  maxLength: 120,
  replay: "outcome",
  reusedStatus: 422,
} as const satisfies IdempotencyRule;

/**
 * The rule for Idempotency-Keys on operations whose response contains a secret, which an identical retry can recover.
 */
export const recoveredKey = {
  maxLength: 120,
  replay: "service",
  reusedStatus: 422,
} as const satisfies IdempotencyRule;
