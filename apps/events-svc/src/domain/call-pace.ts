/**
 * When a call may be sent: after a wait in milliseconds, or, if too many calls are waiting, after another attempt to
 * reserve a time.
 */
export type Pace = { readonly isReserved: boolean; readonly waitMs: number };

/** Spaces the calls of operations that have a limit of calls in a second, over all workers. */
export type CallPacer = {
  /** Reserves the next call. Rejects without Redis, because the limit must never be exceeded. */
  reserve(call: { readonly clientId: string; readonly operationId: string; readonly perSecond: number }): Promise<Pace>;
  /** Returns whether a call of an operation would currently be rejected, as far as this worker knows. */
  isFull(operationId: string): boolean;
};
