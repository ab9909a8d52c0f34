import type { PeerCertificate } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Logger } from "../process/logger.ts";
import type { CallContext } from "./call-context.ts";
import type { Operator } from "./operator.ts";

/** Facts about a call besides its message. */
export type ServerCall = CallContext & {
  /** Aborts when the deadline passes or the caller goes away. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds by which the caller wants an answer; Infinity when it named none. */
  readonly deadlineMs: number;
  readonly logger: Logger;
  /** The metadata `authorization`; empty when there is none. */
  readonly authorization: string;
  /** The name in the client's certificate; null over plain text. */
  readonly caller: string | null;
  /** The operator who calls; null for calls of the platform's own processes and of machines. */
  readonly operator: Operator | null;
};

/** A received call, plain or multiplexed. Costly and rarely needed parts are functions. */
export type ArrivingCall = {
  readonly context: CallContext;
  readonly metadata: IncomingCall["metadata"];
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  signal(): AbortSignal;
  peer(): string;
  certificate(): PeerCertificate | undefined;
};

/** The caller of a call, as far as it is known before the RPC runs. */
export type IncomingCall = {
  /** A metadata value by its name. */
  readonly metadata: { get(name: string): string | undefined };
  readonly peer: string;
  /** The name in the client's certificate; null over plain text. */
  readonly caller: string | null;
};

/** Throws, or rejects, when the call may not be made; runs before the RPC. Where operators are let in, resolves to who calls. */
export type CallGuard = (method: DescMethod, call: IncomingCall) => undefined | Promise<Operator | null>;
