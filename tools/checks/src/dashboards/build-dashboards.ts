import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSource, repositoryRoot } from "../source-files.ts";
import { type Dashboard, dashboards, type Panel } from "./panels.ts";

const folder = "ops/grafana";
const columns = 3;
const panelWidth = 24 / columns;
const panelHeight = 7;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
const source = { type: "prometheus", uid: "${datasource}" };

/** Limits every metric of an expression to the namespaces, pods and processes that the dashboard shows. */
function limited(expr: string, { processes }: Dashboard): string {
  const chosen = ['namespace=~"$namespace"', 'pod=~"$pod"', ...(processes === ".*" ? [] : [`service=~"${processes}"`])];
  return expr.replace(
    /\b((?:platform|process|nodejs)_\w+)(?:\{([^}]*)\})?/g,
    (_all, metric: string, own?: string) => `${metric}{${[...(own === undefined ? [] : [own]), ...chosen].join(",")}}`,
  );
}

function panelJson({ title, unit, series }: Panel, of: Dashboard, id: number, x: number, y: number) {
  return {
    id,
    type: "timeseries",
    title,
    gridPos: { x, y, w: panelWidth, h: panelHeight },
    datasource: source,
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: series.map(([expr, legend], index) => ({
      refId: String.fromCharCode(65 + index),
      expr: limited(expr, of),
      legendFormat: legend,
    })),
  };
}

function panelsJson(dashboard: Dashboard): unknown[] {
  const panels: unknown[] = [];
  let y = 0;
  for (const row of dashboard.rows) {
    const gridPos = { x: 0, y, w: 24, h: 1 };
    panels.push({ id: panels.length + 1, type: "row", title: row.title, gridPos, collapsed: false, panels: [] });
    y += 1;
    row.panels.forEach((panel, index) => {
      const top = y + Math.floor(index / columns) * panelHeight;
      panels.push(panelJson(panel, dashboard, panels.length + 1, (index % columns) * panelWidth, top));
    });
    y += Math.ceil(row.panels.length / columns) * panelHeight;
  }
  return panels;
}

/** Creates a variable with the values of a label, several of which can be selected. */
const variable = (name: string, label: string, selector: string) => ({
  name,
  label,
  type: "query",
  datasource: source,
  query: { query: `label_values(process_start_time_seconds{${selector}}, ${name})`, refId: name },
  refresh: 2,
  multi: true,
  includeAll: true,
  allValue: ".*",
  current: { text: "All", value: "$__all" },
});

/** Returns each file of ops/grafana and its text. */
export function buildDashboards(): Map<string, string> {
  return new Map(
    Object.entries(dashboards).map(([name, dashboard]) => {
      const document = {
        title: dashboard.title,
        uid: name === "platform" ? name : `platform-${name}`,
        tags: ["platform"],
        timezone: "utc",
        schemaVersion: 41,
        refresh: "30s",
        time: { from: "now-3h", to: "now" },
        templating: {
          list: [
            { name: "datasource", type: "datasource", query: "prometheus", label: "Data source" },
            variable("namespace", "Namespace", `service=~"${dashboard.processes}"`),
            variable("pod", "Pod", `namespace=~"$namespace",service=~"${dashboard.processes}"`),
          ],
        },
        panels: panelsJson(dashboard),
      };
      return [`${name}.json`, `${JSON.stringify(document, null, 1)}\n`];
    }),
  );
}

/** Checks that ops/grafana is up to date with `make generate`. */
export function checkDashboards(): string[] {
  const built = buildDashboards();
  const there = readdirSync(join(repositoryRoot, folder));
  return [...new Set([...built.keys(), ...there])]
    .filter((name) => !there.includes(name) || readSource(join(folder, name)) !== built.get(name))
    .map((name) => `${folder}/${name} is not what its panels generate; run make generate`);
}

if (import.meta.main) {
  const built = buildDashboards();
  for (const name of readdirSync(join(repositoryRoot, folder)))
    if (!built.has(name)) rmSync(join(repositoryRoot, folder, name));
  for (const [name, text] of built) writeFileSync(join(repositoryRoot, folder, name), text);
}
