import type {
  BodyOf,
  CallOperationId,
  DataOf,
  Operation,
  OperationFamily,
  ParamsOf,
} from "@platform/contracts/operation";
import type { CallOptions } from "@platform/kit/rpc/client";
import type { WithJsonTexts } from "./json-text.ts";
import type { PreparedBodyOf } from "./prepared-bodies.ts";
import type { Upstreams } from "./upstreams.ts";

/** The authenticated Project Client of a request. */
export type CallingClient = {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  readonly scopes: readonly string[];
  readonly credentialId: string;
  /** The client's and the credential's id, joined by `credentialOwner`. */
  readonly credentialOwner: string;
  readonly isDisabled: boolean;
  /** Share of the client's successful requests that are logged, from 0 to 1; null for the platform's default. */
  readonly successRatio: number | null;
  /** The hard-quota limits that apply to the client, by resource. */
  readonly quotaLimits: Readonly<Record<string, number>>;
};

/** The authenticated Platform Session of a request. */
export type CallingSession = { readonly id: string; readonly accountId: string; readonly authenticatedAt: Date };

/**
 * Input of a handler: the validated request and its caller. A handler does not repeat any check. `Body` is the type
 * that `preparedBodies` returns for the operation.
 */
export type HandlerInput<O extends Operation, Body = BodyOf<O>> = {
  readonly params: ParamsOf<O>;
  readonly body: Body;
  /** The calling client; null unless the operation's scheme is projectCredential. */
  readonly client: O["auth"]["scheme"] extends "projectCredential" ? CallingClient : null;
  /** The calling session; null unless the operation's scheme is platformSession. */
  readonly session: O["auth"]["scheme"] extends "platformSession" ? CallingSession : null;
  /**
   * Options of the gRPC call, which a handler passes on unchanged: the context with tenant and idempotency claim, the
   * deadline, and an abort signal if nothing was spent or claimed.
   */
  readonly call: CallOptions;
  readonly correlationId: string;
  readonly idempotencyKey: string | null;
  /** Address from which the request came. */
  readonly source: string;
};

/** Result of a handler: the `data` of the success body, and whether it is the replay of an earlier result. */
export type HandlerResult<O extends Operation> = {
  readonly data: DataOf<O> | WithJsonTexts<DataOf<O>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** True if the owning service recognized the idempotency key. The units that this request spent are then released. */
  readonly replayed?: boolean;
};

/**
 * Converts an HTTP request to a gRPC request and its response back, in 10 to 30 lines. It neither authenticates nor
 * catches errors.
 */
export type Handler<O extends Operation, Body = BodyOf<O>> = (
  input: HandlerInput<O, Body>,
  upstreams: Upstreams,
) => Promise<HandlerResult<O>>;

/** A handler of an operation that has an entry in `preparedBodies`. */
export type PreparedHandler<F extends OperationFamily, Id extends keyof F> = Handler<F[Id], PreparedBodyOf<Id, F[Id]>>;

/**
 * Handlers of all operations of a family, except those that are proxied. A missing or unknown handler is a compile
 * error.
 */
export type HandlersFor<F extends OperationFamily> = { readonly [Id in CallOperationId<F>]: PreparedHandler<F, Id> };
