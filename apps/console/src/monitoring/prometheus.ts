import { z } from "zod";
import { readJson, urlBelow } from "./read-json.ts";
import { queueAgeMetrics, requestDurationMetric, type Series } from "./samples.ts";

/** https://prometheus.io/docs/prometheus/latest/querying/api/, range queries. */
const schema = z.object({
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

export type Prometheus = ReturnType<typeof createPrometheus>;
export type Range = { readonly since: Date; readonly until: Date; readonly everyMs: number };

/** Transfers last as long as their bytes. */
const timed = '{operation!~"files[.](upload|download|publicAsset).*"}';
const rangeOf = (everyMs: number): string => `[${Math.round(everyMs / 60_000)}m]`;

/** Asks a Prometheus for the figures of the console's plots. */
export function createPrometheus(baseUrl: string) {
  const query = async (
    promql: string,
    { since, until, everyMs }: Range,
    nameOf: (labels: Record<string, string>) => string,
  ): Promise<Series[]> => {
    const url = urlBelow(baseUrl, "/api/v1/query_range", {
      query: promql,
      start: since.toISOString(),
      end: until.toISOString(),
      step: String(everyMs / 1000),
    });
    const { data } = await readJson(url, schema);
    return data.result.map(({ metric, values }) => ({
      name: nameOf(metric),
      points: values.flatMap(([seconds, value]) =>
        // NaN where there was nothing to divide.
        Number.isFinite(Number(value)) ? [{ x: new Date(seconds * 1000), y: Number(value) }] : [],
      ),
    }));
  };
  const quantile = (part: number, range: Range): Promise<Series[]> =>
    query(
      `1000 * histogram_quantile(${part}, sum by (le) (rate(${requestDurationMetric}_bucket${timed}${rangeOf(range.everyMs)})))`,
      range,
      () => `p${part * 100}`,
    );
  return {
    origin: new URL(baseUrl).origin,
    answers: (range: Range): Promise<Series[]> =>
      query(
        `sum by (answer) (label_replace(increase(${requestDurationMetric}_count${rangeOf(range.everyMs)}), "answer", "\${1}xx", "status", "(.)..") )`,
        range,
        ({ answer = "" }) => answer,
      ),
    durations: async (range: Range): Promise<Series[]> =>
      (await Promise.all([0.5, 0.99].map((part) => quantile(part, range)))).flat(),
    queueAges: async (range: Range): Promise<Series[]> => {
      const all = Object.entries(queueAgeMetrics).map(([metric, queue]) =>
        query(
          `max by (queue) (max_over_time(${metric}${rangeOf(range.everyMs)}))`,
          range,
          (labels) => queue || (labels.queue ?? ""),
        ),
      );
      return (await Promise.all(all)).flat();
    },
  };
}
