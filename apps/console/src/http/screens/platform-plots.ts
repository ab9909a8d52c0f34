import { type HtmlValue, html } from "@platform/kit/web/http";
import type { Prometheus, Series } from "../../monitoring/prometheus.ts";
import { section } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import type { Visit } from "../visit.ts";

const hours = 24;
const title = `The last ${hours} hours`;
/** Each point of the plots covers the half hour before it. In milliseconds. */
const everyMs = 1_800_000;
const minuteMs = 60_000;
const axis = { xTitle: "time (UTC)", kind: "line" } as const;

/** Renders plots of responses, response times and queue ages over the last day, from Prometheus. */
export async function platformPlots({ prometheus }: Pick<Visit, "prometheus">): Promise<HtmlValue> {
  if (prometheus === null)
    return section(
      title,
      html`<p class="text-secondary">There are no plots, because no Prometheus is configured. Set <code>PROMETHEUS_URL</code> in the console's configuration to the
address of the platform's Prometheus.</p>`,
    );
  const plots = await read(prometheus).catch(() => null);
  if (plots === null)
    return section(
      title,
      html`<p class="alert alert-danger">There are no plots, because Prometheus at ${prometheus.origin} does not respond.</p>`,
    );
  const [answers, durations, ages] = plots;
  return section(
    title,
    html`<div class="grid">${[
      await figure({ ...axis, title: "Requests per half hour, by status class", unit: "requests", series: answers }),
      await figure({ ...axis, title: "Duration of requests, p50 and p99", unit: "ms", series: durations }),
      await figure({ ...axis, title: "Age of the oldest item, by queue", unit: "s", series: ages }),
    ]}</div>`,
    html`<p class="text-secondary">Source: Prometheus at ${prometheus.origin}.</p>`,
  );
}

type Plots = readonly [answers: Series[], durations: Series[], ages: Series[]];

function read(prometheus: Prometheus): Promise<Plots> {
  // The last point is at the current minute, so that a platform that has just started has at least one point.
  const until = new Date(Math.floor(Date.now() / minuteMs) * minuteMs);
  const range = { since: new Date(until.getTime() - hours * 3_600_000), until, everyMs };
  return Promise.all([prometheus.answers(range), prometheus.durations(range), prometheus.queueAges(range)]);
}
