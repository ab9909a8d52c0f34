/** Minimum time between two reconnections after such errors, in milliseconds. */
const reconnectEveryMs = 1_000;

/**
 * Returns whether a server rejects a command because it is not, or no longer, the primary. After a failover behind one
 * address (a managed Redis, a Kubernetes Service, HAProxy), existing connections remain connected to the demoted
 * server, and only a new connection reaches the new primary.
 * @param message text of the error, as the server sent it or as a script caught it
 */
export function isDemotion(message: string): boolean {
  return /\b(READONLY|MASTERDOWN) /.test(message);
}

/**
 * Creates a function that permits one reconnection per second. Until the address leads to the new primary, each new
 * connection is rejected as well.
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
