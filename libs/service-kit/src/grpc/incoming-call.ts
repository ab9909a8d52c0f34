import type { PeerCertificate } from "node:tls";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Logger } from "../process/logger.ts";
import type { CallContext } from "./call-context.ts";

/** What an RPC knows about its call besides the message. */
export type ServerCall = CallContext & {
  /** Aborts when the deadline passes or the caller goes away. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds by which the caller wants an answer; Infinity when it named none. */
  readonly deadlineMs: number;
  readonly logger: Logger;
};

/** A call as it arrives, by itself or carried. What is costly and seldom asked for is a function. */
export type ArrivingCall = {
  readonly context: CallContext;
  readonly metadata: IncomingCall["metadata"];
  /** Epoch milliseconds. */
  readonly deadlineMs: number;
  signal(): AbortSignal;
  peer(): string;
  certificate(): PeerCertificate | undefined;
};

/** Who makes a call, as far as it is known before the RPC. */
export type IncomingCall = {
  /** A metadata value by its name. */
  readonly metadata: { get(name: string): string | undefined };
  readonly peer: string;
  /** Who the client's certificate names; null over plain text, where nobody can be told apart. */
  readonly caller: string | null;
};

/** Throws when the call may not be made; runs before the RPC. */
export type CallGuard = (method: DescMethod, call: IncomingCall) => void;
