import { type HtmlValue, html } from "@platform/kit/web/http";
import { type AlertGroup, alertsMax, type FiringAlert, groupAlerts } from "../../monitoring/firing-alert.ts";
import { section, stateOf, timeOf } from "../pages/elements.ts";
import type { Visit } from "../visit.ts";

type Source = { readonly origin: string; readonly listFiring: () => Promise<FiringAlert[]> };
type Monitors = Pick<Visit, "alertmanager" | "prometheus">;

/** What fires: from Alertmanager, or from Prometheus where there is no Alertmanager or it does not answer. */
export async function activeAlerts({ alertmanager, prometheus }: Monitors): Promise<HtmlValue> {
  const sources = [
    ["Alertmanager", alertmanager],
    ["Prometheus", prometheus],
  ] as const;
  const silent: string[] = [];
  for (const [name, source] of sources) {
    if (source === null) continue;
    const alerts = await listFiring(source);
    if (alerts !== null) return alertsPart(alerts, [...silent, `From ${name} at ${source.origin}.`]);
    silent.push(`${name} at ${source.origin} does not answer.`);
  }
  if (silent.length > 0)
    return section(
      "Active alerts",
      html`<p class="alert alert-danger">It is not known what fires: ${silent.join(" ")}</p>`,
    );
  return section(
    "Active alerts",
    html`<p class="text-secondary">Alerts are not shown, because this console knows no Alertmanager. Set <code>ALERTMANAGER_URL</code> and <code>PROMETHEUS_URL</code> of
the console to the addresses of those that watch the platform.</p>`,
  );
}

const listFiring = (source: Source): Promise<FiringAlert[] | null> => source.listFiring().catch(() => null);

function alertsPart(alerts: readonly FiringAlert[], origins: readonly string[]): HtmlValue {
  const groups = groupAlerts(alerts);
  const left = alerts.length > alertsMax ? [`Only the ${alertsMax} most severe alerts are shown.`] : [];
  return section(
    "Active alerts",
    groups.length === 0
      ? html`<p class="text-secondary">No alert is active.</p>`
      : html`<ul class="list-unstyled mb-0">${groups.map(
          (group) => html`<li class="d-flex flex-wrap gap-3 mb-3">${stateOf(group.severity)}
<div class="flex-fill">${sentencesOf(group)}<div class="text-secondary">Since ${timeOf(group.since)}</div></div>
${
  group.runbookUrl !== null &&
  html`<a class="btn" href="${group.runbookUrl}" rel="noreferrer">Runbook: ${group.name}</a>`
}</li>`,
        )}</ul>`,
    html`<p class="text-secondary">${[...origins, ...left].join(" ")}</p>`,
  );
}

/** What is wrong as sentences; many of one condition are folded beneath the first. */
function sentencesOf({ name, summaries }: AlertGroup): HtmlValue {
  const [first = name, ...others] = summaries.filter((summary) => summary !== "").map(sentenceOf);
  return html`<strong>${first}</strong>${
    others.length > 0 &&
    html`<details><summary>${others.length} more like it</summary><ul>${others.map((each) => html`<li>${each}</li>`)}</ul></details>`
  }`;
}

const sentenceOf = (summary: string): string =>
  `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}${/[.!?]$/.test(summary) ? "" : "."}`;
