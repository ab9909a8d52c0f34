import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { readSource, repositoryRoot } from "./source-files.ts";

const path = "apps/console/src/monitoring/alerts.json";
const rulesPath = "k8s/components/prometheus-operator/alerts.yaml";
const runbookPath = "docs/operations.md";

type Rule = {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
};

/** What the console knows of the alerts: made from the rules and the runbook, so that it can say nothing else than they do. */
export function consoleAlerts(): string {
  const { spec } = parse(readSource(rulesPath)) as { spec: { groups: { rules: Rule[] }[] } };
  const sections = runbookSections(readSource(runbookPath));
  const alerts = spec.groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, expr, labels, annotations }) => {
      const anchor = annotations.runbook_url.split("#")[1] ?? "";
      return { name: alert, severity: labels.severity, runbook: sections.get(anchor) ?? "", bound: boundOf(expr) };
    });
  return `${JSON.stringify(alerts, null, 2)}\n`;
}

/** By their anchors, as one line each. */
function runbookSections(text: string): Map<string, string> {
  const parts = text.split(/^#{2,3} /m).map((part) => {
    const [title = "", ...lines] = part.split("\n");
    return [title.toLowerCase().replaceAll(" ", "-"), lines.join(" ").replace(/\s+/g, " ").trim()] as const;
  });
  return new Map(parts);
}

/**
 * When a rule fires: how its expression compares. `metric` is null where the expression is more than one metric, or the growth of one in some
 * minutes, over which the values are aggregated.
 */
export function boundOf(expr: string) {
  const [, left = "", comparison = "", value = ""] = /^(.*?) (==|>|<) ([\d.]+)$/s.exec(expr.trim()) ?? [];
  if (comparison === "") return null;
  const simple =
    /^(max|min|sum) by \([^)]*\) \((increase\()?([a-z_]+)(?:\{([^}]*)\})?(?:\[(\d+)m\]\))?\)$/.exec(left) ?? [];
  const [, aggregate = null, , metric = null, matchers = "", minutes] = simple;
  return {
    comparison,
    value: Number(value),
    metric,
    aggregate,
    matchers,
    minutes: minutes === undefined ? null : Number(minutes),
  };
}

/** Is the console's list what `make generate` writes? */
export function checkConsoleAlerts(): string[] {
  return readSource(path) === consoleAlerts()
    ? []
    : [`${path} is not what the alert rules and the runbook say; run make generate`];
}

if (import.meta.main) writeFileSync(join(repositoryRoot, path), consoleAlerts());
