import type { Registry } from "@prometheus-io/client";
import { type Labels, measurementKey } from "./measurement.ts";

type MeasuredMetric = {
  readonly name: string;
  readonly kind: "gauge" | "sum";
  /** The labels it is kept by; values that agree in them are added up. Null: not kept. */
  readonly labelsOf: (labels: Labels) => Labels | null;
};

const by =
  (...names: readonly string[]) =>
  (labels: Labels): Labels =>
    Object.fromEntries(names.map((name) => [name, labels[name] ?? ""]));

const gauge = (name: string, ...labels: readonly string[]): MeasuredMetric => ({
  name,
  kind: "gauge",
  labelsOf: by(...labels),
});
const counter = (name: string, ...labels: readonly string[]): MeasuredMetric => ({
  name,
  kind: "sum",
  labelsOf: by(...labels),
});

export const requestDurationMetric = "platform_http_request_duration_seconds";
/** Uploads and downloads last as long as their bytes; the alert RequestsSlow leaves them out too. */
const isTransfer = (operation: string): boolean => /^files[.](upload|download|publicAsset)/.test(operation);

/** Buckets by answer (`2xx`); of transfers only how many there were. */
const requests: MeasuredMetric = {
  name: requestDurationMetric,
  kind: "sum",
  labelsOf: ({ operation = "", status = "", le }) => {
    if (le === undefined) return null;
    const answer = `${status.slice(0, 1)}xx`;
    const leMs = le === "+Inf" ? "inf" : String(Number(le) * 1000);
    if (!isTransfer(operation)) return { answer, le_ms: leMs };
    return leMs === "inf" ? { answer, transfer: "true", le_ms: leMs } : null;
  },
};

/** The metrics of which a history is kept, for the console's plots and its conditions. */
const measuredMetrics: readonly MeasuredMetric[] = [
  requests,
  counter("platform_http_requests_shed_total", "reason"),
  counter("platform_operator_break_glass_total"),
  gauge("platform_redis_memory_used_bytes"),
  gauge("platform_redis_memory_max_bytes"),
  gauge("platform_job_queue_age_seconds", "queue"),
  gauge("platform_notify_queue_age_seconds"),
  gauge("platform_notify_paused_bulkheads"),
  gauge("platform_files_oldest_quarantined_seconds"),
  gauge("platform_files_malware_scanner_configured"),
  gauge("platform_events_oldest_unnumbered_seconds"),
  gauge("platform_outbox_oldest_seconds"),
  gauge("platform_events_subscription_lag"),
  gauge("platform_events_audit_chains_broken"),
  gauge("platform_events_audit_chain_unverified_seconds"),
  gauge("platform_ads_ledger_faults"),
  gauge("platform_quotas_over_threshold", "percent", "resource"),
];
const measuredByName = new Map(measuredMetrics.map((metric) => [metric.name, metric]));

export type RegistrySample = { readonly sums: Map<string, number>; readonly gauges: Map<string, number> };

/** The present values of a registry's measured metrics, by key. */
export async function sampleRegistry(registry: Registry): Promise<RegistrySample> {
  const sample: RegistrySample = { sums: new Map(), gauges: new Map() };
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  for (const name of names) {
    const metric = measuredByName.get(name);
    const values = metric === undefined ? undefined : (await registry.getSingleMetric(name)?.get())?.values;
    if (metric === undefined || values === undefined) continue;
    const into = metric.kind === "gauge" ? sample.gauges : sample.sums;
    for (const { labels, value } of values) {
      const texts = Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)]));
      const kept = metric.labelsOf(texts);
      if (kept === null) continue;
      const key = measurementKey(name, kept);
      into.set(key, (into.get(key) ?? 0) + value);
    }
  }
  return sample;
}
