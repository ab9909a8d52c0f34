import { z } from "zod";

/** A firing alert, as Alertmanager or Prometheus lists it. */
export type FiringAlert = {
  readonly name: string;
  readonly severity: string;
  readonly summary: string;
  /** Address of the runbook's section; null if it is not a web address. */
  readonly runbookUrl: string | null;
  readonly since: Date;
};

/** The alerts of one rule, which have the same name, severity and runbook. */
export type AlertGroup = {
  readonly name: string;
  readonly severity: string;
  readonly summaries: readonly string[];
  readonly runbookUrl: string | null;
  /** Time at which the first of the alerts started. */
  readonly since: Date;
};

/** Fields of an alert that Alertmanager and Prometheus report in the same form. */
const text = z.string().catch("");
export const alertTexts = {
  labels: z.record(z.string(), text),
  annotations: z.record(z.string(), text).default({}),
};

type Texts = Readonly<Record<string, string>>;

export function firingAlert(labels: Texts, annotations: Texts, since: string): FiringAlert {
  return {
    name: labels.alertname ?? "",
    severity: labels.severity ?? "",
    summary: annotations.summary ?? annotations.description ?? "",
    runbookUrl: webAddressOf(annotations.runbook_url ?? ""),
    since: new Date(since),
  };
}

// Returns the address if it is a web address. Without this check, anyone who can write rules could make the page run a
// script.
const webAddressOf = (address: string): string | null =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? "") ? address : null;

type Ranked = Pick<FiringAlert, "severity" | "since">;

const severities = ["page", "ticket", "info"];
/** Maximum number of alerts that are shown. */
export const alertsMax = 200;

/**
 * Groups alerts by their rule: the most severe first, and within a severity the oldest. If there are more than
 * `alertsMax`, the last ones in this order are omitted.
 */
export function groupAlerts(alerts: readonly FiringAlert[]): AlertGroup[] {
  const listed = alerts.toSorted(worstFirst).slice(0, alertsMax);
  // The groups, and the alerts in each group, keep the order of the list.
  const byRule = Map.groupBy(listed, ({ name, severity }) => `${name} ${severity}`);
  return [...byRule.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, summaries: [...new Set([first, ...others].map(({ summary }) => summary))] }],
  );
}

/** Sorts the most severe first, and within a severity the oldest. */
export const worstFirst = (a: Ranked, b: Ranked): number =>
  rankOf(a) - rankOf(b) || a.since.getTime() - b.since.getTime();

/** Returns the position of a severity. Severities that the platform's rules do not use are last. */
function rankOf({ severity }: Ranked): number {
  const rank = severities.indexOf(severity);
  return rank === -1 ? severities.length : rank;
}
