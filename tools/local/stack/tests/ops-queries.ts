import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../src/stack.ts";

/** A PromQL expression and its location. */
export type OpsQuery = { readonly where: string; readonly expr: string; readonly runbook: string | null };

type Rules = {
  spec: { groups: { rules: { alert: string; expr: string; annotations: { runbook_url?: string } }[] }[] };
};
type Dashboard = { panels: { title: string; targets?: { expr: string }[] }[] };

/** Returns every query of the alert rules and of the dashboards. */
export function opsQueries(): OpsQuery[] {
  const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");
  const { spec } = parse(read("k8s/components/prometheus-operator/alerts.yaml")) as Rules;
  const rules = spec.groups.flatMap((group) => group.rules);
  const panels = readdirSync(join(repositoryRoot, "ops/grafana")).flatMap(
    (name) => (JSON.parse(read(`ops/grafana/${name}`)) as Dashboard).panels,
  );
  return [
    ...rules.map(({ alert, expr, annotations }) => ({
      where: `alert ${alert}`,
      expr,
      runbook: annotations.runbook_url ?? null,
    })),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ where: `panel ${title}`, expr, runbook: null })),
    ),
  ];
}

const keywords = new Set([
  "and",
  "or",
  "unless",
  "bool",
  "offset",
  "on",
  "ignoring",
  "by",
  "without",
  "group_left",
  "group_right",
]);

/** Returns the metrics that an expression reads, and the labels by which it selects or groups them. */
export function readsOf(expr: string): { metrics: string[]; labels: string[] } {
  const labels: string[] = [];
  const bare = expr
    .replace(/#.*$/gm, "")
    .replace(/\{([^}]*)\}/g, (_all, selector: string) => {
      for (const [, label = ""] of selector.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"/g)) labels.push(label);
      return "";
    })
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_all, names: string) => {
      labels.push(...names.split(",").map((name) => name.trim()));
      return "";
    })
    .replace(/\[[^\]]*\]/g, "");
  const names = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w|\s*\()/g)].map(([name]) => name);
  return { metrics: names.filter((name) => !keywords.has(name) && !/^e\d+$/.test(name)), labels };
}

/** Returns every series name of a /metrics page, including _bucket, _sum and _count of a histogram and _total of an OpenMetrics counter. */
export function exportedNames(page: string): string[] {
  return [...page.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name = "", type]) => {
    if (type === "histogram") return [`${name}_bucket`, `${name}_sum`, `${name}_count`];
    return type === "counter" && !name.endsWith("_total") ? [name, `${name}_total`] : [name];
  });
}
