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
  /** Client and credential as `credentialOwner` joins them. */
  readonly credentialOwner: string;
  readonly isDisabled: boolean;
  /** Share of its successful requests that the request log keeps, from 0 to 1; null for the platform's. */
  readonly successRatio: number | null;
  /** Effective hard-quota limits by resource. */
  readonly quotaLimits: Readonly<Record<string, number>>;
};

/** The authenticated Platform Session of a request. */
export type CallingSession = { readonly id: string; readonly accountId: string; readonly authenticatedAt: Date };

/** Input of a handler: the validated request and its caller. A handler does not check anything again. `Body` is the result of `preparedBodies`. */
export type HandlerInput<O extends Operation, Body = BodyOf<O>> = {
  readonly params: ParamsOf<O>;
  readonly body: Body;
  /** Present exactly when the operation's scheme is projectCredential. */
  readonly client: O["auth"]["scheme"] extends "projectCredential" ? CallingClient : null;
  /** Present exactly when the operation's scheme is platformSession. */
  readonly session: O["auth"]["scheme"] extends "platformSession" ? CallingSession : null;
  /**
   * Options of the gRPC call, to be passed on unchanged: context with tenant and idempotency claim, deadline, and an abort signal where nothing
   * was spent or claimed.
   */
  readonly call: CallOptions;
  readonly correlationId: string;
  readonly idempotencyKey: string | null;
  /** Address the request came from. */
  readonly source: string;
};

/** Result of a handler: the `data` of the success body, and whether it is a replay. */
export type HandlerResult<O extends Operation> = {
  readonly data: DataOf<O> | WithJsonTexts<DataOf<O>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** True when the owning service recognised the idempotency key; then nothing is spent. */
  readonly replayed?: boolean;
};

/** HTTP input → gRPC request → HTTP output, 10–30 lines; no authentication, no try/catch. */
export type Handler<O extends Operation, Body = BodyOf<O>> = (
  input: HandlerInput<O, Body>,
  upstreams: Upstreams,
) => Promise<HandlerResult<O>>;

/** A handler of an operation with an entry in `preparedBodies`. */
export type PreparedHandler<F extends OperationFamily, Id extends keyof F> = Handler<F[Id], PreparedBodyOf<Id, F[Id]>>;

/** One handler for each operation of a family that is not proxied; a missing or unknown one is a compile error. */
export type HandlersFor<F extends OperationFamily> = { readonly [Id in CallOperationId<F>]: PreparedHandler<F, Id> };
