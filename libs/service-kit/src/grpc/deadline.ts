/** Reserve of each hop in milliseconds, so that it answers before its caller gives up (letsencrypt/boulder:grpc/interceptors.go). */
export const hopReserveMs = 20;

/** The deadline (epoch milliseconds) for the next hop: this one less the hop's reserve. */
export function nextHopDeadline(deadlineMs: number): number {
  return deadlineMs - hopReserveMs;
}

/** A signal that aborts when the deadline (epoch milliseconds) passes or the parent aborts. */
export function deadlineSignal(deadlineMs: number, parent?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(Math.max(1, Math.min(deadlineMs - Date.now(), 2 ** 31 - 1)));
  return parent === undefined ? timeout : AbortSignal.any([timeout, parent]);
}
