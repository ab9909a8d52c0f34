import listed from "./alerts.json" with { type: "json" };

/** When a rule fires: how its expression compares. `metric` is null where the expression is more than one metric or its growth in some minutes. */
export type Bound = {
  readonly comparison: string;
  readonly value: number;
  readonly metric: string | null;
  /** Of the metric's labels, as PromQL has them. */
  readonly matchers: string;
  readonly minutes: number | null;
};

export type Alert = {
  readonly name: string;
  readonly severity: string;
  /** The section of docs/operations.md, in one line. */
  readonly runbook: string;
  readonly bound: Bound | null;
};

/** The alert rules of k8s/components/prometheus-operator, as `make generate` writes them. */
export const alerts: readonly Alert[] = listed;

export function alertOf(name: string): Alert | null {
  return alerts.find((alert) => alert.name === name) ?? null;
}
