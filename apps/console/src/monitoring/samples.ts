/** What one service measured in one slot of one metric with its labels. */
export type Sample = {
  readonly service: string;
  readonly at: Date;
  readonly reportedAt: Date;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly sum: number | null;
  readonly peak: number | null;
  readonly latest: number | null;
};

export type Series = { readonly name: string; readonly points: readonly { readonly x: Date; readonly y: number }[] };

export const requestDurationMetric = "platform_http_request_duration_seconds";

/** The same ages as the alerts DeliveriesWait, JobsWait, FilesStayInQuarantine and EventsWaitForPosition, by the name of their queue. */
export const queueAgeMetrics: Readonly<Record<string, string>> = {
  platform_notify_queue_age_seconds: "deliveries",
  platform_job_queue_age_seconds: "",
  platform_files_oldest_quarantined_seconds: "quarantine",
  platform_events_oldest_unnumbered_seconds: "events without position",
};

const add = (a: number, b: number): number => a + b;

/** One series for each name, its values of the same stretch of time put together. */
function seriesOf(
  samples: readonly Sample[],
  everyMs: number,
  nameOf: (sample: Sample) => string | null,
  figureOf: (sample: Sample) => number | null,
  join: (a: number, b: number) => number,
): Series[] {
  const found = new Map<string, Map<number, number>>();
  for (const sample of samples) {
    const [name, value] = [nameOf(sample), figureOf(sample)];
    if (name === null || value === null) continue;
    const points = found.get(name) ?? new Map<number, number>();
    const at = Math.floor(sample.at.getTime() / everyMs) * everyMs;
    const known = points.get(at);
    found.set(name, points.set(at, known === undefined ? value : join(known, value)));
  }
  return [...found].sort().map(([name, points]) => ({
    name,
    points: [...points].sort(([a], [b]) => a - b).map(([at, y]) => ({ x: new Date(at), y })),
  }));
}

/** How many requests were answered in each stretch of time, by the first digit of the status. */
export function answerSeries(samples: readonly Sample[], everyMs: number): Series[] {
  const nameOf = ({ name, labels }: Sample): string | null =>
    name === requestDurationMetric && labels.le_ms === "inf" ? (labels.answer ?? null) : null;
  return seriesOf(samples, everyMs, nameOf, ({ sum }) => sum, add);
}

/** Quantiles of a histogram in each stretch of time, in milliseconds. */
export function quantileSeries(
  samples: readonly Sample[],
  metric: string,
  everyMs: number,
  quantiles: readonly number[],
): Series[] {
  const stretches = new Map<number, Map<number, number>>();
  for (const { at, name, labels, sum } of samples) {
    if (name !== metric || sum === null || labels.le_ms === undefined || labels.transfer !== undefined) continue;
    // A point is stored as `_`.
    const bound = labels.le_ms === "inf" ? Number.POSITIVE_INFINITY : Number(labels.le_ms.replace("_", "."));
    const stretch = Math.floor(at.getTime() / everyMs) * everyMs;
    const buckets = stretches.get(stretch) ?? new Map<number, number>();
    stretches.set(stretch, buckets.set(bound, (buckets.get(bound) ?? 0) + sum));
  }
  const sorted = [...stretches].sort(([a], [b]) => a - b);
  return quantiles.map((quantile) => ({
    name: `p${quantile * 100}`,
    points: sorted.flatMap(([at, buckets]) => {
      const y = quantileOf(buckets, quantile);
      return y === null ? [] : [{ x: new Date(at), y }];
    }),
  }));
}

/**
 * The value below which a part of a histogram's observations lies, as PromQL's histogram_quantile estimates it.
 * @param buckets how many observations were at most as large as each bound; one bound is infinite
 */
export function quantileOf(buckets: ReadonlyMap<number, number>, quantile: number): number | null {
  const total = buckets.get(Number.POSITIVE_INFINITY) ?? 0;
  if (total === 0) return null;
  const rank = quantile * total;
  let below = { bound: 0, count: 0 };
  // A bucket without observations of its own may be missing: its count is that of the bound below.
  for (const [bound, count] of [...buckets].sort(([a], [b]) => a - b)) {
    if (count >= rank && count > below.count) {
      if (bound === Number.POSITIVE_INFINITY) return below.bound;
      return below.bound + ((bound - below.bound) * (rank - below.count)) / (count - below.count);
    }
    below = { bound, count: Math.max(count, below.count) };
  }
  return below.bound;
}

/** How long the oldest work of each queue had waited at most, in seconds. */
export function queueAgeSeries(samples: readonly Sample[], everyMs: number): Series[] {
  const nameOf = ({ name, labels }: Sample): string | null => {
    const queue = queueAgeMetrics[name];
    return queue === undefined ? null : queue || (labels.queue ?? null);
  };
  return seriesOf(samples, everyMs, nameOf, ({ peak }) => peak, Math.max);
}

/** The highest value of a gauge in each stretch of time, by a label. */
export function peakSeries(samples: readonly Sample[], metric: string, label: string, everyMs: number): Series[] {
  const nameOf = ({ name, labels }: Sample): string | null => (name === metric ? (labels[label] ?? null) : null);
  return seriesOf(samples, everyMs, nameOf, ({ peak }) => peak, Math.max);
}
