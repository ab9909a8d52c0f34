/** Window of a quota counter, after which it restarts. `level` is a gauge: it never restarts and follows the stored amount. */
export type QuotaWindow = "minute" | "day" | "month" | "level";

/** The hard-quota resources of a Project Client, and the window (in UTC) over which each is counted. */
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
