/**
 * Window of a counter. The counters of `minute`, `day` and `month` restart at zero at the end of their window (UTC).
 * `level` is a gauge, which follows the amount that is stored.
 */
export type QuotaWindow = "minute" | "day" | "month" | "level";

/** The window of each hard-quota resource. */
export const quotaWindows: Readonly<Record<string, QuotaWindow>> = {
  api_traffic: "minute",
  storage_bytes: "level",
  deliveries: "day",
  events: "day",
  scheduled_invocations: "day",
  realtime_connections: "level",
  payment_transactions: "month",
  audit_retention: "level",
};

/** Returns the window of a resource. Throws for an unknown name. */
export function quotaWindowOf(resource: string): QuotaWindow {
  const window = quotaWindows[resource];
  if (window === undefined) throw new Error(`unknown quota resource: ${resource}`);
  return window;
}

/**
 * Returns the Redis key of a counter. The client is the hash tag, so that all of a client's keys are in one slot of a
 * Redis Cluster.
 */
export function quotaKey(clientId: string, resource: string): string {
  return `{${clientId}}:quota:${resource}`;
}

/**
 * Returns the Redis key of the claims in progress that hold units of a gauge. Its value is a sorted set of the claims'
 * ids by the end of their leases.
 */
export function gaugeClaimsKey(clientId: string, resource: string): string {
  return `${quotaKey(clientId, resource)}:claims`;
}

/** Returns the Redis key of the mark which shows that a spend without an Idempotency-Key was done. */
export function spendMarkKey(clientId: string, spendId: string): string {
  return `{${clientId}}:quota:spent:${spendId}`;
}

/** Returns the Redis key of the mark which shows that a release was done. */
export function releaseMarkKey(clientId: string, releaseId: string): string {
  return `{${clientId}}:quota:given-back:${releaseId}`;
}

/**
 * Returns a window as an argument of the scripts: its length in milliseconds, 0 for a gauge, or minus the end of the
 * calendar month in epoch milliseconds. Redis has no calendar, so the caller's clock determines the end of the month.
 */
export function windowArgument(window: QuotaWindow, now: Date = new Date()): number {
  switch (window) {
    case "minute":
      return 60_000;
    case "day":
      return 86_400_000;
    case "month":
      return -Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    case "level":
      return 0;
  }
}
