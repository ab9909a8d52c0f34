import { type HtmlValue, html } from "@platform/kit/web/http";
import { alertsMax, type FiringAlert, groupAlerts } from "../../monitoring/firing-alert.ts";
import { section, stateOf, table, timeOf } from "../pages/elements.ts";
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
    return section("Active alerts", html`<p class="problem">It is not known what fires: ${silent.join(" ")}</p>`);
  return section(
    "Active alerts",
    html`<p class="empty">Alerts are not shown, because this console knows no Alertmanager. Set <code>ALERTMANAGER_URL</code> and <code>PROMETHEUS_URL</code> of
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
      ? html`<p class="empty">No alert is active.</p>`
      : table(
          "Alerts that are active, the most severe first",
          ["Severity", "What is wrong", "Since", "What to do"],
          groups.map((group) => [
            stateOf(group.severity),
            group.summaries.map((summary) => html`<div>${sentenceOf(summary || group.name)}</div>`),
            timeOf(group.since),
            group.runbookUrl === null
              ? group.name
              : html`<a href="${group.runbookUrl}" rel="noreferrer">Runbook: ${group.name}</a>`,
          ]),
        ),
    html`<p class="hint">${[...origins, ...left].join(" ")}</p>`,
  );
}

const sentenceOf = (summary: string): string => `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}`;
