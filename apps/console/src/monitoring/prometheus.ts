import { z } from "zod";
import { alertTexts, type FiringAlert, firingAlert } from "./firing-alert.ts";
import { readJson, urlBelow } from "./read-json.ts";

/** https://prometheus.io/docs/prometheus/latest/querying/api/, range queries. */
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

/** Schema according to the section "Alerts" of the same documentation. */
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
/** Leaves out transfers, which last as long as their bytes. */
const timed = '{operation!~"files[.](upload|download|publicAsset).*"}';
/** The ages that the alerts DeliveriesWait, JobsWait, FilesStayInQuarantine and EventsWaitForPosition check, by the name of their queue. With null the label is used. */
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
        // NaN if there was nothing to divide.
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
    /** Firing alerts, including silenced ones, because only Alertmanager knows silences. */
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
