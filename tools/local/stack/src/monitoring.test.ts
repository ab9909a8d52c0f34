import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { platformComponents } from "./components.ts";
import { localRules, scrapeConfigs } from "./monitoring.ts";
import { stackPorts } from "./ports.ts";
import { readDemoHistory, readStackMonitoring } from "./settings.ts";

const source = readFileSync(
  new URL("../../../../k8s/components/prometheus-operator/alerts.yaml", import.meta.url),
  "utf8",
);
const components = platformComponents({
  ports: stackPorts(8080),
  secrets: { operatorToken: "", serviceKeys: {} },
  mongodbUri: "",
  databasePrefix: "",
  redisUrl: "",
  consoleRedisUrl: "",
  directory: "",
  hasSecondGateway: false,
  hasConsole: true,
  secondWorkers: [],
  hasReplicas: false,
});
const namesOf = (isOne: boolean) =>
  localRules(source, isOne).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

it("uses the cluster's alert rules except those that would only disturb developers", () => {
  const all = [...source.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name);
  expect(all.filter((name) => !namesOf(false).includes(name ?? ""))).toEqual([
    "ProcessRestarts",
    "UploadsUnscanned",
    "BreakGlassUsed",
  ]);
  expect(namesOf(false).filter((name) => !namesOf(true).includes(name))).toEqual(["MemoryGrows"]);
});

it("scrapes every process that ProcessesGone misses, so that it does not fire on a fresh stack", () => {
  const scraped = scrapeConfigs(components).flatMap(({ static_configs }) =>
    static_configs.map(({ labels }) => `${labels.job} ${labels.app} ${labels.component}`),
  );
  const missed = [...source.matchAll(/absent_over_time\(up\{job="platform",app="([^"]+)",component="([^"]+)"\}/g)].map(
    ([, app, component]) => `platform ${app} ${component}`,
  );
  expect(missed.length).toBeGreaterThan(10);
  expect(scraped.sort()).toEqual(missed.sort());
});

it("names second replicas by their process, and their app and component like the first ones'", () => {
  const [config] = scrapeConfigs([{ name: "notify-svc-worker-2", readyUrl: "http://127.0.0.1:8174/readyz" }]);
  expect(config?.static_configs).toEqual([
    {
      targets: ["127.0.0.1:8174"],
      labels: {
        job: "platform",
        namespace: "local",
        pod: "notify-svc-worker-2",
        app: "notify-svc",
        component: "worker",
      },
    },
  ]);
});

it.each([
  ["STACK_MONITORING", readStackMonitoring],
  ["DEMO_HISTORY", readDemoHistory],
] as const)("reads %s: on by default, off, and nothing else", (name, read) => {
  expect([{}, { [name]: "" }, { [name]: "on" }, { [name]: "off" }].map(read)).toEqual([true, true, true, false]);
  expect(() => read({ [name]: "no" })).toThrow(`${name} must be on or off, not no`);
});
