import type { Data, State } from "./state.ts";

/** A request that its operation's schemas accepted. */
export type Valid = {
  readonly params: Readonly<Record<string, string>>;
  readonly body: Data;
  /** Bytes of an upload. */
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly idempotencyKey: string;
  readonly correlationId: string;
  /** The account of the presented Platform Session. */
  readonly accountId: string;
};

/** Executes an operation and returns its success body. */
export type Handler = (state: State, request: Valid) => unknown;
