import { type HtmlValue, html } from "@platform/kit/web/http";
import {
  type AlertGroup,
  alertsMax,
  type FiringAlert,
  groupAlerts,
  worstFirst,
} from "../../monitoring/firing-alert.ts";
import { section, stateOf, timeOf } from "../pages/elements.ts";
import type { Visit } from "../visit.ts";
import { reachedQuotas } from "./reached-quotas.ts";

type Source = { readonly origin: string; readonly listFiring: () => Promise<FiringAlert[]> };
type Visitor = Pick<Visit, "alertmanager" | "prometheus" | "ask" | "projectClients">;

/** The alert rule whose alerts are replaced by sentences with the names of the projects. */
const quotaRule = "QuotasReached";

/**
 * Renders the active alerts from Alertmanager, or from Prometheus if there is no Alertmanager or it does not respond.
 * For conditions that concern projects, the names of the projects are read from the platform itself.
 */
export async function activeAlerts(visit: Visitor): Promise<HtmlValue> {
  const [{ alerts, notes }, quotas] = await Promise.all([firing(visit), reachedQuotas(visit)]);
  const listed = (alerts ?? []).filter(({ name }) => quotas === null || name !== quotaRule);
  const quotaRunbook = (alerts ?? []).find(({ name }) => name === quotaRule)?.runbookUrl ?? null;
  const conditions = [
    ...groupAlerts(listed).map((group) => ({ ...group, sentences: sentencesOf(group) })),
    ...(quotas ?? []).map(({ since, sentence }) => ({
      name: quotaRule,
      severity: "info",
      since,
      sentences: html`<strong>${sentence}</strong>`,
      runbookUrl: quotaRunbook,
    })),
  ].toSorted(worstFirst);
  return section(
    "Active alerts",
    conditions.length === 0
      ? alerts !== null && html`<p class="text-secondary">No alerts are active.</p>`
      : html`<ul class="list-unstyled mb-0">${conditions.map(
          ({
            name,
            severity,
            since,
            sentences,
            runbookUrl,
          }) => html`<li class="d-flex flex-wrap gap-3 mb-3">${stateOf(severity)}
<div class="flex-fill">${sentences}<div class="text-secondary">Since ${timeOf(since)}</div></div>
${runbookUrl !== null && html`<a class="btn" href="${runbookUrl}" rel="noreferrer">Runbook: ${name}</a>`}</li>`,
        )}</ul>`,
    notes,
  );
}

/** Returns the alerts of the monitoring system, or null if they are unknown, and a text about their source. */
async function firing({
  alertmanager,
  prometheus,
}: Visitor): Promise<{ alerts: FiringAlert[] | null; notes: HtmlValue }> {
  const sources = [
    ["Alertmanager", alertmanager],
    ["Prometheus", prometheus],
  ] as const;
  const silent: string[] = [];
  for (const [name, source] of sources) {
    if (source === null) continue;
    const alerts = await listFiring(source);
    if (alerts === null) {
      silent.push(`${name} at ${source.origin} does not respond.`);
      continue;
    }
    const left = alerts.length > alertsMax ? [`Only the ${alertsMax} most severe alerts are shown.`] : [];
    const notes = [...silent, `Source: ${name} at ${source.origin}.`, ...left].join(" ");
    return { alerts, notes: html`<p class="text-secondary">${notes}</p>` };
  }
  if (silent.length > 0)
    return {
      alerts: null,
      notes: html`<p class="alert alert-danger">The active alerts are unknown: ${silent.join(" ")}</p>`,
    };
  return {
    alerts: null,
    notes: html`<p class="text-secondary">Alerts are not shown, because no Alertmanager is configured. Set <code>ALERTMANAGER_URL</code> and <code>PROMETHEUS_URL</code> in the console's
configuration to the addresses of the platform's monitoring.</p>`,
  };
}

const listFiring = (source: Source): Promise<FiringAlert[] | null> => source.listFiring().catch(() => null);

/**
 * Renders the active alerts as sentences. If there are several alerts for one condition, they are folded below the
 * first one.
 */
function sentencesOf({ name, summaries }: AlertGroup): HtmlValue {
  const [first = name, ...others] = summaries.filter((summary) => summary !== "").map(sentenceOf);
  return html`<strong>${first}</strong>${
    others.length > 0 &&
    html`<details><summary>${others.length} more like it</summary><ul>${others.map((each) => html`<li>${each}</li>`)}</ul></details>`
  }`;
}

const sentenceOf = (summary: string): string =>
  `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}${/[.!?]$/.test(summary) ? "" : "."}`;
