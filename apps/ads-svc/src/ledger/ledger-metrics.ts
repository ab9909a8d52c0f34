import { Counter, Histogram, type Registry } from "@prometheus-io/client";

export type LedgerMetrics = ReturnType<typeof createLedgerMetrics>;

/** Metrics of ledger writes. */
export function createLedgerMetrics(registry: Registry) {
  const registers = [registry];
  return {
    appends: new Counter({
      name: "platform_ads_appends_total",
      help: "Appends to campaign ledgers: of one campaign (own) or of many with one impression each (common).",
      labelNames: ["kind"],
      registers,
    }),
    batchSize: new Histogram({
      name: "platform_ads_append_impressions",
      help: "Impressions in one append.",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000],
      registers,
    }),
    conflicts: new Counter({
      name: "platform_ads_append_conflicts_total",
      help: "Appends that met another replica's and were placed again.",
      registers,
    }),
    impressions: new Counter({
      name: "platform_ads_impressions_total",
      help: "Viewable Impressions answered: recorded, or replayed.",
      labelNames: ["outcome"],
      registers,
    }),
  };
}
