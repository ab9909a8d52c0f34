import { z } from "zod";
import { alertTexts, type FiringAlert, firingAlert } from "./firing-alert.ts";
import { readJson, urlBelow } from "./read-json.ts";

/** Schema of range queries in https://prometheus.io/docs/prometheus/latest/querying/api/. */
const rangeSchema = z.object({
  status: z.literal("success"),
  data: z.object({
    resultType: z.literal("matrix"),
    result: z
      .array(
        z.object({
          metric: z.record(z.string(), z.string()),
          values: z.array(z.tuple([z.number(), z.string()])).max(11_000),
        }),
      )
      .max(100),
  }),
});

/** Schema of the section "Alerts" in the same documentation. */
const alertsSchema = z.object({
  status: z.literal("success"),
  data: z.object({
    alerts: z.array(z.object({ ...alertTexts, state: z.string(), activeAt: z.iso.datetime({ offset: true }) })),
  }),
});

export type Series = { readonly name: string; readonly points: readonly { readonly x: Date; readonly y: number }[] };
export type Prometheus = ReturnType<typeof createPrometheus>;
export type Range = { readonly since: Date; readonly until: Date; readonly everyMs: number };

const requestDuration = "platform_http_request_duration_seconds";
/** Selects the timed operations. Transfers are excluded, because they take as long as their bytes need. */
const timed = '{operation!~"files[.](upload|download|publicAsset).*"}';
/**
 * Metrics of the ages that the alerts DeliveriesWait, JobsWait, FilesStayInQuarantine and EventsWaitForPosition check,
 * with the name of their queue. If it is null, the label of the metric is the name.
 */
const queueAges: Readonly<Record<string, string | null>> = {
  platform_notify_queue_age_seconds: "deliveries",
  platform_job_queue_age_seconds: null,
  platform_files_oldest_quarantined_seconds: "quarantine",
  platform_events_oldest_unnumbered_seconds: "events without position",
};
const rangeOf = (everyMs: number): string => `[${Math.round(everyMs / 60_000)}m]`;

/** Queries a Prometheus for the data of the console's plots, and for firing alerts. */
export function createPrometheus(baseUrl: string) {
  const query = async (
    promql: string,
    { since, until, everyMs }: Range,
    nameOf: (labels: Readonly<Record<string, string>>) => string,
  ): Promise<Series[]> => {
    const url = urlBelow(baseUrl, "/api/v1/query_range", {
      query: promql,
      start: since.toISOString(),
      end: until.toISOString(),
      step: String(everyMs / 1000),
    });
    const { data } = await readJson(url, rangeSchema);
    return data.result.map(({ metric, values }) => ({
      name: nameOf(metric),
      points: values.flatMap(([seconds, value]) =>
        // The value is NaN if a quotient has a divisor of zero; such points are omitted.
        Number.isFinite(Number(value)) ? [{ x: new Date(seconds * 1000), y: Number(value) }] : [],
      ),
    }));
  };
  const quantile = (part: number, range: Range): Promise<Series[]> =>
    query(
      `1000 * histogram_quantile(${part}, sum by (le) (rate(${requestDuration}_bucket${timed}${rangeOf(range.everyMs)})))`,
      range,
      () => `p${part * 100}`,
    );
  const alertsUrl = urlBelow(baseUrl, "/api/v1/alerts", {});
  return {
    origin: alertsUrl.origin,
    /** Lists firing alerts, including silenced ones, because only Alertmanager knows which are silenced. */
    listFiring: async (): Promise<FiringAlert[]> => {
      const { data } = await readJson(alertsUrl, alertsSchema);
      return data.alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels, annotations, activeAt }) => firingAlert(labels, annotations, activeAt));
    },
    answers: (range: Range): Promise<Series[]> =>
      query(
        `sum by (answer) (label_replace(increase(${requestDuration}_count${rangeOf(range.everyMs)}), "answer", "\${1}xx", "status", "(.)..") )`,
        range,
        ({ answer = "" }) => answer,
      ),
    durations: async (range: Range): Promise<Series[]> =>
      (await Promise.all([0.5, 0.99].map((part) => quantile(part, range)))).flat(),
    queueAges: async (range: Range): Promise<Series[]> => {
      const all = Object.entries(queueAges).map(([metric, name]) =>
        query(
          `max by (queue) (max_over_time(${metric}${rangeOf(range.everyMs)}))`,
          range,
          ({ queue = "" }) => name ?? queue,
        ),
      );
      return (await Promise.all(all)).flat();
    },
  };
}
