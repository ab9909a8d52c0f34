import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { callerGuard } from "./caller-identity.ts";
import type { Guard, ServerCall } from "./server-call.ts";

type Unary<M extends DescMethod> = (
  request: MessageShape<M["input"]>,
  call: ServerCall,
) => Promise<MessageInitShape<M["output"]>>;

type ServerStreaming<M extends DescMethod> = (
  request: MessageShape<M["input"]>,
  call: ServerCall,
) => AsyncIterable<MessageInitShape<M["output"]>>;

/** The RPCs of a service, one function each: unary ones return a promise, server-streaming ones an async iterable. */
export type Implementation<S extends DescService> = {
  [K in keyof S["method"]]: S["method"][K]["methodKind"] extends "server_streaming"
    ? ServerStreaming<S["method"][K]>
    : Unary<S["method"][K]>;
};

/** Callers of a service's RPCs in addition to operators. */
export type OtherCallers = {
  /** True if the gateway may call the RPCs as well. */
  readonly gateway?: boolean;
  /**
   * Returns whether the caller is a machine with its own token. Such a call is admitted without an operator, and not
   * recorded. Throws if its token is invalid.
   */
  readonly machine?: (method: DescMethod, call: ServerCall) => boolean | Promise<boolean>;
};

/** A service and its RPCs, ready to be served. */
export type ServedService = {
  readonly desc: DescService;
  readonly implementation: Record<string, (request: never, call: ServerCall) => unknown>;
  readonly guard: Guard;
  /** Set if operators call the service. The server then needs the operator plane, which admits and records them. */
  readonly operators?: OtherCallers;
};

/** A ServedService whose RPCs have the types of a known service. */
type ServiceOf<S extends DescService> = Omit<ServedService, "implementation"> & {
  readonly implementation: Implementation<S>;
};

/**
 * Connects a service description with its RPCs; the compiler checks that none is missing. Only the gateway may call
 * them, unless a guard permits other callers.
 */
export function implement<S extends DescService>(
  desc: S,
  implementation: Implementation<S>,
  guard: Guard = callerGuard("gateway"),
): ServiceOf<S> {
  return { desc, implementation, guard };
}

/**
 * Implements a service with operator RPCs. The proto option `operator_access` declares who may call each RPC, whether
 * the call is recorded, and whether it requires a reason.
 */
export function implementForOperators<S extends DescService>(
  desc: S,
  implementation: Implementation<S>,
  others: OtherCallers = {},
): ServiceOf<S> {
  const unguarded: Guard = () => {
    throw new Error(`${desc.typeName} is served without the operator plane`);
  };
  return { ...implement(desc, implementation, unguarded), operators: others };
}
