import { type Alert, alertOf, alerts as allAlerts } from "./alerts.ts";
import { quantileSeries, requestDurationMetric, type Sample } from "./samples.ts";

/** Something that an alert rule watches and that is so now. */
export type Condition = {
  readonly alert: Alert;
  /** What was seen. */
  readonly what: string;
};

type Health = ReadonlyMap<string, "ok" | "degraded" | "down">;

const slotMs = 600_000;
/** Older values say nothing about the present. */
const freshMs = 5 * 60_000;

/**
 * Judges by the bounds of the alert rules what services report of themselves and how the gateway finds them. A rule's waiting time is not waited for,
 * so that a condition shows before its alert.
 */
export function judgeConditions(
  health: Health,
  samples: readonly Sample[],
  now: Date,
  alerts: readonly Alert[] = allAlerts,
): Condition[] {
  return [...healthConditions(health), ...alerts.flatMap((alert) => boundConditions(alert, samples, now))].sort(
    (a, b) => rankOf(a) - rankOf(b),
  );
}

const rankOf = ({ alert }: Condition): number => ["page", "ticket", "info"].indexOf(alert.severity);

function healthConditions(health: Health): Condition[] {
  return [...health].flatMap(([component, state]) => {
    if (state === "ok") return [];
    const isDown = state === "down";
    const name =
      component === "redis" ? (isDown ? "RedisDown" : "RedisFull") : isDown ? "ProcessDown" : "DependencyDown";
    const alert = alertOf(name);
    const what = isDown ? `${component} does not answer` : `${component} is degraded`;
    return alert === null ? [] : [{ alert, what }];
  });
}

function boundConditions(alert: Alert, samples: readonly Sample[], now: Date): Condition[] {
  const { bound } = alert;
  if (bound === null) return [];
  const read = readers[alert.name];
  const readings = read === undefined ? readingsOf(alert, samples, now) : read(samples, now);
  return readings
    .filter(({ value }) => isBeyond(value, bound.comparison, bound.value))
    .map(({ value, of }) => ({
      alert,
      what: `${of}: ${figureOf(value)} (fires at ${bound.comparison} ${figureOf(bound.value)})`,
    }));
}

type Reading = { readonly of: string; readonly value: number };

const figureOf = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 3 });

function isBeyond(value: number, comparison: string, bound: number): boolean {
  if (comparison === ">") return value > bound;
  return comparison === "<" ? value < bound : value === bound;
}

/** The present values of a rule's only metric, or by how much it grew in the rule's minutes. */
function readingsOf({ bound }: Alert, samples: readonly Sample[], now: Date): Reading[] {
  if (bound === null || bound.metric === null) return [];
  const own = samples.filter(({ name, labels }) => name === bound.metric && doLabelsMatch(labels, bound.matchers));
  const groups = Map.groupBy(own, ({ service, name, labels }) => {
    const values = Object.values(labels).filter((value) => value !== "");
    return `${service} ${name}${values.length === 0 ? "" : ` ${values.join(" ")}`}`;
  });
  return [...groups].flatMap(([of, group]) => {
    if (bound.minutes !== null) {
      const since = now.getTime() - bound.minutes * 60_000 - slotMs;
      const value = group.reduce((sum, { at, sum: grown }) => sum + (at.getTime() > since ? (grown ?? 0) : 0), 0);
      return [{ of, value }];
    }
    const last = group.reduce((a, b) => (a.at > b.at ? a : b));
    if (last.latest === null || now.getTime() - last.reportedAt.getTime() > freshMs) return [];
    return [{ of, value: last.latest }];
  });
}

/** PromQL's label matchers. */
export function doLabelsMatch(labels: Readonly<Record<string, string>>, matchers: string): boolean {
  return [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].every(([, label = "", operator, text = ""]) => {
    const value = labels[label] ?? "";
    const isEqual = operator?.includes("~") ? new RegExp(`^(?:${text})$`).test(value) : value === text;
    return operator?.startsWith("!") ? !isEqual : isEqual;
  });
}

/** Rules whose expression is more than one metric. */
const readers: Readonly<Record<string, (samples: readonly Sample[], now: Date) => Reading[]>> = {
  RequestsFail: (samples, now) => {
    const counts = recent(samples, now).filter(
      ({ name, labels }) => name === requestDurationMetric && labels.le_ms === "inf",
    );
    const total = sumOf(counts);
    const failed = sumOf(counts.filter(({ labels }) => labels.answer === "5xx"));
    return total === 0 ? [] : [{ of: "share of requests answered 5xx", value: failed / total }];
  },
  RequestsSlow: (samples, now) => {
    const [p99] = quantileSeries(recent(samples, now), requestDurationMetric, Number.MAX_SAFE_INTEGER, [0.99]);
    const value = p99?.points[0]?.y;
    return value === undefined ? [] : [{ of: "p99 of requests, s", value: value / 1000 }];
  },
  RequestsShed: (samples, now) => {
    const shed = recent(samples, now).filter(({ name }) => name === "platform_http_requests_shed_total");
    return [{ of: "requests refused a second", value: sumOf(shed) / ((2 * slotMs) / 1000) }];
  },
  RedisFull: (samples, now) => {
    const latestOf = (name: string): number | null =>
      recent(samples, now).findLast((sample) => sample.name === name)?.latest ?? null;
    const [used, max] = [latestOf("platform_redis_memory_used_bytes"), latestOf("platform_redis_memory_max_bytes")];
    return used === null || max === null || max === 0 ? [] : [{ of: "share of Redis' memory", value: used / max }];
  },
};

/** The names of these rules. */
export const readerNames = Object.keys(readers);

/** Of the present slot and the one before. */
const recent = (samples: readonly Sample[], now: Date): Sample[] =>
  samples.filter(({ at }) => now.getTime() - at.getTime() < 2 * slotMs);

const sumOf = (samples: readonly Sample[]): number => samples.reduce((total, { sum }) => total + (sum ?? 0), 0);
