/**
 * When a call may be sent. If a time was reserved, the call is sent after the wait, in milliseconds. If too many
 * calls are waiting already, the worker tries to reserve a time again after the wait.
 */
export type Pace = { readonly isReserved: boolean; readonly waitMs: number };

/** Spaces the calls of operations that have a maximum number of calls per second. All workers share the limit. */
export type CallPacer = {
  /** Reserves the time of the next call. Rejects if Redis is unavailable, because the limit must never be exceeded. */
  reserve(call: { readonly clientId: string; readonly operationId: string; readonly perSecond: number }): Promise<Pace>;
  /** Returns whether a call of an operation would currently be rejected, as far as this worker knows. */
  isFull(operationId: string): boolean;
};
