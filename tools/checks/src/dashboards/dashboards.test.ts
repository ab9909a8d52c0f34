import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createMetrics } from "@platform/kit/process/telemetry";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSource, repositoryRoot, sourceFiles } from "../source-files.ts";
import { buildDashboards, checkDashboards } from "./build-dashboards.ts";

const apps = readdirSync(join(repositoryRoot, "apps"));

/** Returns the metrics that the code declares, and the default metrics of Node processes. */
async function declaredMetrics(): Promise<Set<string>> {
  const own = sourceFiles()
    .filter((path) => /^(apps|libs)\/[^/]+\/src\//.test(path))
    .flatMap((path) => [...readSource(path).matchAll(/"(platform_\w+)"/g)].map(([, name = ""]) => name));
  const page = await createMetrics("any").registry.metrics();
  return new Set([...own, ...[...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name)]);
}

async function unknownMetrics(expressions: readonly string[]): Promise<string[]> {
  const declared = await declaredMetrics();
  const read = expressions.flatMap((expr) => expr.match(/\b(?:platform|process|nodejs)_\w+/g) ?? []);
  return [...new Set(read)].filter(
    (name) => !declared.has(name) && !declared.has(name.replace(/_(bucket|count|sum)$/, "")),
  );
}

type Target = { readonly expr: string };
const expressionsOf = (text: string): string[] =>
  (JSON.parse(text) as { panels: { targets?: Target[] }[] }).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr),
  );

test("generates the committed dashboards from the panels", () => {
  expect(checkDashboards()).toEqual([]);
});

test("generates a dashboard for the platform and one for each app", () => {
  const names = [...buildDashboards().keys()].map((name) => name.replace(".json", ""));
  expect(names).toEqual(expect.arrayContaining(["platform", ...apps]));
});

test("reads in every panel only metrics that the code declares, of the chosen namespace and pods", async () => {
  const expressions = [...buildDashboards().values()].flatMap(expressionsOf);
  expect(await unknownMetrics(expressions)).toEqual([]);
  const unlimited = expressions.filter((expr) =>
    [...expr.matchAll(/\b(?:platform|process|nodejs)_\w+(\{[^}]*\})?/g)].some(
      ([, selector = ""]) => !selector.includes('namespace=~"$namespace"') || !selector.includes('pod=~"$pod"'),
    ),
  );
  expect(unlimited).toEqual([]);
});

test("reads in every alert only metrics that the code declares", async () => {
  const { spec } = parse(readSource("k8s/components/prometheus-operator/alerts.yaml")) as {
    spec: { groups: { rules: Target[] }[] };
  };
  expect(await unknownMetrics(spec.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)))).toEqual([]);
});

test("reports a metric that nothing declares", async () => {
  expect(await unknownMetrics(["max(platform_nothing_seconds)", "sum(process_cpu_seconds_total)"])).toEqual([
    "platform_nothing_seconds",
  ]);
});
