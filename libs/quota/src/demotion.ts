/** Shortest time between two reconnections because of refusals, in milliseconds. */
const reconnectEveryMs = 1_000;

/**
 * Returns whether a server rejects a command because it is not, or no longer, the primary. Behind one address (a
 * managed Redis, a Kubernetes Service, HAProxy), a connection that was opened before the failover stays at the demoted
 * server, and only a new connection leads to the new primary.
 * @param message text of the error, as the server sent it or as a script caught it
 */
export function isDemotion(message: string): boolean {
  return /\b(READONLY|MASTERDOWN) /.test(message);
}

/**
 * Permits one reconnection per second, because each new connection is also rejected until the address leads to the new
 * primary.
 */
export function reconnectPermit(nowMs: () => number = () => performance.now()): () => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const now = nowMs();
    if (now - lastMs < reconnectEveryMs) return false;
    lastMs = now;
    return true;
  };
}
