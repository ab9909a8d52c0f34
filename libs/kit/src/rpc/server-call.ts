import type { DescMethod } from "@bufbuild/protobuf";
import type { Logger } from "../process/logger.ts";
import type { CallContext } from "./call-context.ts";
import type { Operator } from "./operator.ts";

/** The facts about a call, without its message, that guards and RPCs may read. */
export type ServerCall = CallContext & {
  /** Aborts when the deadline passes or the caller disconnects. */
  readonly signal: AbortSignal;
  /** Deadline in epoch milliseconds; Infinity if the caller set none. */
  readonly deadlineMs: number;
  readonly logger: Logger;
  /** Returns a metadata value by its name. */
  readonly metadata: { get(name: string): string | undefined };
  /** Value of the metadata entry `authorization`; empty if there is none. */
  readonly authorization: string;
  /** Address of the other end of the connection. */
  readonly peer: string;
  /** The name in the client's certificate; null over plain text. */
  readonly caller: string | null;
  /**
   * The operator who calls. Null for calls of the platform's own processes and of machines, and before the guard has
   * admitted the call.
   */
  readonly operator: Operator | null;
};

/** Throws or rejects if the call is not permitted; runs before the RPC. For operators, resolves to the operator. */
export type Guard = (method: DescMethod, call: ServerCall) => undefined | Promise<Operator | null>;
