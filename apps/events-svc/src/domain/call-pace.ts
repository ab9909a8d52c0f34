/** How a call may be made: after a wait, or, when too many are before it, not before another attempt to reserve it. In milliseconds. */
export type Pace = { readonly isReserved: boolean; readonly waitMs: number };

/** Spaces the calls of operations that have a limit of calls in a second, over all workers. */
export type CallPacer = {
  /** Reserves the next call. Rejects without Redis, because a limit must hold. */
  reserve(call: { readonly clientId: string; readonly operationId: string; readonly perSecond: number }): Promise<Pace>;
  /** Whether a call of an operation would only be refused just now, as far as this worker knows. */
  isFull(operationId: string): boolean;
};
