import { type HtmlValue, html } from "@platform/service-kit/http/html";
import { type Alert, alertOf, alerts } from "../../monitoring/alerts.ts";
import { judgeConditions } from "../../monitoring/judge-conditions.ts";
import {
  answerSeries,
  quantileSeries,
  queueAgeMetrics,
  queueAgeSeries,
  requestDurationMetric,
  type Sample,
  type Series,
} from "../../monitoring/samples.ts";
import { section, stateOf, table, timeOf } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import { measurementsOf } from "../pages/measurements.ts";
import type { Visit } from "../visit.ts";

const hours = 24;
/** Each point of the plots stands for so long. */
const everyMs = 1_800_000;

const boundMetrics = alerts.flatMap(({ bound }) => (bound?.metric == null ? [] : [bound.metric]));
const conditionMetrics = [
  ...new Set([
    ...boundMetrics.filter((name) => name.startsWith("platform_") && name !== "platform_dependency_up"),
    "platform_http_requests_shed_total",
    "platform_redis_memory_used_bytes",
    "platform_redis_memory_max_bytes",
  ]),
];
const plotMetrics = [requestDurationMetric, ...Object.keys(queueAgeMetrics)];
const conditionMs = 40 * 60_000;

/** What the services measured of themselves, read once for the parts of a page. */
export type PlatformState = { readonly now: Date; readonly recent: Promise<Sample[]>; readonly day: Promise<Sample[]> };

export function readPlatformState(visit: Visit): PlatformState {
  const now = new Date();
  return {
    now,
    recent: measurementsOf(visit, {
      names: [...conditionMetrics, requestDurationMetric],
      since: new Date(now.getTime() - conditionMs),
    }),
    day: measurementsOf(visit, {
      names: plotMetrics,
      since: new Date(now.getTime() - hours * 3_600_000),
      services: ["identity", "files", "notify", "events"],
    }),
  };
}

/** What fires, from Alertmanager where one is named and answers, else judged from what the services report. */
export async function conditions(visit: Visit, state: PlatformState): Promise<HtmlValue> {
  const firing = await fromAlertmanager(visit);
  if (firing !== null && "rows" in firing)
    return conditionTable(firing.rows, html`From Alertmanager at ${firing.origin}.`);
  const [health, recent] = await Promise.all([visit.health.present(), state.recent]);
  const judged = judgeConditions(health, recent, state.now).map(({ alert, what }) => [
    alert.name,
    stateOf(alert.severity),
    what,
    timeOf(undefined),
    runbookOf(alert),
  ]);
  const why = firing === null ? "" : `Alertmanager at ${firing.origin} did not answer. `;
  return conditionTable(
    judged,
    html`${why}Judged here by the bounds of the alert rules, from what the services report, without a rule's waiting time${
      firing === null && html`; <code>ALERTMANAGER_URL</code> shows what an Alertmanager has`
    }.`,
  );
}

async function fromAlertmanager({ alertmanager }: Visit) {
  if (alertmanager === null) return null;
  try {
    const firing = await alertmanager.listFiring();
    return {
      origin: alertmanager.origin,
      rows: firing.map(({ name, severity, summary, runbookUrl, since }) => [
        name,
        stateOf(severity),
        summary,
        timeOf(since),
        runbookOf(alertOf(name), runbookUrl),
      ]),
    };
  } catch {
    return { origin: alertmanager.origin };
  }
}

function conditionTable(rows: readonly (readonly HtmlValue[])[], source: HtmlValue): HtmlValue {
  return section(
    "Firing conditions",
    table("Conditions that fire now", ["Condition", "Severity", "What", "Since", "Runbook"], rows, "Nothing fires."),
    html`<p class="hint">${source}</p>`,
  );
}

function runbookOf(alert: Alert | null, url: string | null = null): HtmlValue {
  if (alert === null) return url !== null && html`<a href="${url}" rel="noreferrer">Runbook</a>`;
  // Every second part stands between backticks.
  const parts = alert.runbook
    .split("`")
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : plain(part)));
  return html`<details><summary>${alert.name} in the runbook</summary><p>${parts}</p></details>`;
}

/** Without the addresses of links, which are files of the repository. */
const plain = (text: string): string => text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");

const axis = { xTitle: "time (UTC)", kind: "line" } as const;

/** Answers, their durations and the ages of queues in the last day. */
export async function plots(visit: Visit, state: PlatformState): Promise<HtmlValue> {
  const { answers, durations, ages, source } =
    (await fromPrometheus(visit, state)) ?? (await fromServices(visit, state));
  return section(
    `The last ${hours} hours`,
    html`<div class="grid">${[
      await figure({ ...axis, title: "Requests by answer, each half hour", unit: "requests", series: answers }),
      await figure({ ...axis, title: "Duration of requests, p50 and p99", unit: "ms", series: durations }),
      await figure({ ...axis, title: "Age of the oldest work by queue", unit: "s", series: ages }),
    ]}</div>`,
    html`<p class="hint">${source}</p>`,
  );
}

type Plots = {
  readonly answers: Series[];
  readonly durations: Series[];
  readonly ages: Series[];
  readonly source: string;
};

async function fromPrometheus({ prometheus }: Visit, { now }: PlatformState): Promise<Plots | null> {
  if (prometheus === null) return null;
  const until = new Date(Math.floor(now.getTime() / everyMs) * everyMs);
  const range = { since: new Date(until.getTime() - hours * 3_600_000), until, everyMs };
  try {
    const [answers, durations, ages] = await Promise.all([
      prometheus.answers(range),
      prometheus.durations(range),
      prometheus.queueAges(range),
    ]);
    return { answers, durations, ages, source: `From Prometheus at ${prometheus.origin}.` };
  } catch {
    return null;
  }
}

async function fromServices({ prometheus }: Visit, { day }: PlatformState): Promise<Plots> {
  const samples = await day;
  return {
    answers: answerSeries(samples, everyMs),
    durations: quantileSeries(samples, requestDurationMetric, everyMs, [0.5, 0.99]),
    ages: queueAgeSeries(samples, everyMs),
    source: `${prometheus === null ? "" : `Prometheus at ${prometheus.origin} did not answer. `}From what gateways and services report.`,
  };
}
