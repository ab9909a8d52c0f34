/** Window of a counter: `minute`, `day` and `month` restart at their end (UTC); `level` is a gauge that follows what is stored. */
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

/** Redis key of a counter. The client is the hash tag, so that all of a client's keys lie in one slot of a Redis Cluster. */
export function quotaKey(clientId: string, resource: string): string {
  return `{${clientId}}:quota:${resource}`;
}

/** Redis key of the claims in progress that hold units of a gauge: a sorted set of their ids by the end of their leases. */
export function gaugeClaimsKey(clientId: string, resource: string): string {
  return `${quotaKey(clientId, resource)}:claims`;
}

/** Redis key of the mark that a spend without an Idempotency-Key was done. */
export function spendMarkKey(clientId: string, spendId: string): string {
  return `{${clientId}}:quota:spent:${spendId}`;
}

/** Redis key of the mark that a release was done. */
export function releaseMarkKey(clientId: string, releaseId: string): string {
  return `{${clientId}}:quota:given-back:${releaseId}`;
}

/**
 * Argument of the scripts for a window: its length in milliseconds, 0 for a gauge, or minus the end of the calendar month in epoch milliseconds
 * (Redis has no calendar, so the caller's clock computes the month's end).
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
