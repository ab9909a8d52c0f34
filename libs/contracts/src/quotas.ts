/**
 * Window of a quota counter, at the end of which it restarts at zero. `level` is a gauge, which never restarts and
 * follows the amount that is stored.
 */
export type QuotaWindow = "minute" | "day" | "month" | "level";

/** The resources of a Project Client that have a hard quota, and the window (in UTC) of each counter. */
export const quotaResources = {
  api_traffic: { window: "minute" },
  storage_bytes: { window: "level" },
  deliveries: { window: "day" },
  events: { window: "day" },
  scheduled_invocations: { window: "day" },
  realtime_connections: { window: "level" },
  payment_transactions: { window: "month" },
  audit_retention: { window: "level" },
} as const satisfies Record<string, { window: QuotaWindow }>;

export type QuotaResource = keyof typeof quotaResources;
