import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { activeAlerts } from "../src/http/screens/active-alerts.ts";
import { platformPlots } from "../src/http/screens/platform-plots.ts";
import { createAlertmanager } from "../src/monitoring/alertmanager.ts";
import { createPrometheus } from "../src/monitoring/prometheus.ts";

/** A server that responds like the monitoring systems, and records the requests. */
let server: Server;
let url: string;
let answer: { status: number; body: string };
/** Responses that replace the default ones, by path. */
const answersOf = new Map<string, { status: number; body: string }>();
const asked: URL[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(new URL(request.url ?? "/", url));
    const { status, body } = answersOf.get(new URL(request.url ?? "/", url).pathname) ?? answer;
    response.writeHead(status, { "content-type": "application/json" });
    if (body !== "") response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const answerWith = (body: unknown, status = 200): void => {
  asked.length = 0;
  answersOf.clear();
  answer = { status, body: typeof body === "string" ? body : JSON.stringify(body) };
};

/** An alert as Alertmanager 0.28 returns it. */
const firing = {
  annotations: {
    summary: "3 campaigns do not add up",
    runbook_url: "https://docs.platform.example/operations.md#ledgerfault",
  },
  endsAt: "2026-03-01T10:20:00.000Z",
  fingerprint: "1f2e",
  receivers: [{ name: "pager" }],
  startsAt: "2026-03-01T10:09:00.000+00:00",
  status: { inhibitedBy: [], silencedBy: [], state: "active" },
  updatedAt: "2026-03-01T10:10:00.000Z",
  generatorURL: "http://prometheus/graph",
  labels: { alertname: "LedgerFault", severity: "page", namespace: "platform" },
};

it("lists alerts of Alertmanager that are neither silenced nor inhibited", async () => {
  answerWith([firing]);
  expect(await createAlertmanager(`${url}/alertmanager`).listFiring()).toEqual([
    {
      name: "LedgerFault",
      severity: "page",
      summary: "3 campaigns do not add up",
      runbookUrl: "https://docs.platform.example/operations.md#ledgerfault",
      since: new Date("2026-03-01T10:09:00.000Z"),
    },
  ]);
  expect(`${asked[0]?.pathname}${asked[0]?.search}`).toBe(
    "/alertmanager/api/v2/alerts?active=true&silenced=false&inhibited=false",
  );
});

it("does not link to a runbook address that would run a script (stored cross-site scripting)", async () => {
  answerWith([{ ...firing, annotations: { runbook_url: "javascript:alert(1)" } }]);
  expect((await createAlertmanager(url).listFiring())[0]?.runbookUrl).toBeNull();
});

it("gives up on an Alertmanager that is late, fails, returns another format, or sends an endless response", async () => {
  const manager = createAlertmanager(url);
  answerWith([firing], 500);
  await expect(manager.listFiring()).rejects.toThrow("answered 500");
  answerWith({ alerts: [] });
  await expect(manager.listFiring()).rejects.toThrow();
  answerWith(`[${" ".repeat(5 * 1024 * 1024)}]`);
  await expect(manager.listFiring()).rejects.toThrow("more than");
  answerWith("");
  await expect(manager.listFiring()).rejects.toThrow("timeout");
});

it("queries Prometheus for responses, durations and queue ages over a range", async () => {
  answerWith({
    status: "success",
    data: {
      resultType: "matrix",
      result: [
        {
          metric: { answer: "2xx", queue: "make-run" },
          values: [
            [1772359200, "12.5"],
            [1772361000, "NaN"],
          ],
        },
      ],
    },
  });
  const prometheus = createPrometheus(url);
  const range = { since: new Date(1772359200_000), until: new Date(1772361000_000), everyMs: 1_800_000 };
  const points = [{ x: new Date(1772359200_000), y: 12.5 }];
  expect(await prometheus.answers(range)).toEqual([{ name: "2xx", points }]);
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toMatchObject({
    start: "2026-03-01T10:00:00.000Z",
    end: "2026-03-01T10:30:00.000Z",
    step: "1800",
  });
  expect(asked[0]?.searchParams.get("query")).toContain("platform_http_request_duration_seconds_count[30m]");
  expect((await prometheus.durations(range)).map(({ name }) => name)).toEqual(["p50", "p99"]);
  expect((await prometheus.queueAges(range)).map(({ name }) => name).sort()).toEqual([
    "deliveries",
    "events without position",
    "make-run",
    "quarantine",
  ]);
});

/** An alert as Prometheus 2.42 and newer lists it. */
const known = {
  labels: { alertname: "ProcessDown", severity: "page", pod: "files-svc" },
  annotations: { summary: "files-svc has not responded to /metrics for 2 minutes" },
  state: "firing",
  activeAt: "2026-03-01T10:07:00.123456789Z",
  value: "0e+00",
};
const textOf = (part: HtmlValue): string => html`${part}`.text;
const listed = (...alerts: readonly object[]) => ({ status: "success", data: { alerts } });

/** The platform's own data about exhausted quotas is replaced; here there are none. */
type Monitors = Pick<Parameters<typeof activeAlerts>[0], "alertmanager" | "prometheus">;
const alertsOf = (monitors: Monitors, quotas: readonly object[] = []): Promise<HtmlValue> => {
  const platform = {
    ask: async () => ({ quotas }),
    projectClients: async () => [{ id: "a", name: "Acme" }],
  };
  return activeAlerts({ ...platform, ...monitors } as unknown as Parameters<typeof activeAlerts>[0]);
};

it("lists firing alerts of Prometheus, but not pending ones", async () => {
  answerWith(listed({ ...known, state: "pending" }, known));
  expect(await createPrometheus(url).listFiring()).toEqual([
    {
      name: "ProcessDown",
      severity: "page",
      summary: "files-svc has not responded to /metrics for 2 minutes",
      runbookUrl: null,
      since: new Date("2026-03-01T10:07:00.123Z"),
    },
  ]);
  expect(asked[0]?.pathname).toBe("/api/v1/alerts");
});

it("shows alerts as sentences with their start time, severity and runbook", async () => {
  answerWith([firing]);
  const shown = textOf(await alertsOf({ alertmanager: createAlertmanager(url), prometheus: null }));
  expect(shown).toContain("<strong>3 campaigns do not add up.</strong>");
  expect(shown).toContain("2026-03-01 10:09:00 UTC");
  expect(shown).toContain(`href="${firing.annotations.runbook_url}" rel="noreferrer">Runbook: LedgerFault</a>`);
  expect(shown).toContain(`Source: Alertmanager at ${url}.`);
});

it("shows the most severe alert even if Alertmanager lists it after 200 others, and reports that some are omitted", async () => {
  const info = (index: number) => ({
    ...firing,
    annotations: { summary: `info ${index}` },
    labels: { severity: "info" },
  });
  answerWith([...Array.from({ length: 200 }, (_, index) => info(index)), firing]);
  const shown = textOf(await alertsOf({ alertmanager: createAlertmanager(url), prometheus: null }));
  expect(shown).toContain("<strong>3 campaigns do not add up.</strong>");
  expect(shown).toContain("Only the 200 most severe alerts are shown.");
});

it("lists the projects with an exhausted quota instead of the alert that counts them, below more severe alerts", async () => {
  const rule = { alertname: "QuotasReached", severity: "info", resource: "events" };
  const counted = {
    ...firing,
    labels: rule,
    annotations: {
      summary: "1 Project Clients have used their quota",
      runbook_url: "https://docs.example/#quotasreached",
    },
  };
  answerWith([counted, firing]);
  const since = timestampFromDate(new Date("2026-03-01T09:00:00Z"));
  const quotas = [{ resource: "events", clients: 1, projectClientIds: ["a"], since }];
  const shown = textOf(await alertsOf({ alertmanager: createAlertmanager(url), prometheus: null }, quotas));
  expect(shown).toContain('1 project has reached its event quota: <a href="/clients/a" title="a">Acme</a>.');
  expect(shown).toContain('href="https://docs.example/#quotasreached"');
  expect(shown).not.toContain("have used their quota");
  expect(shown.indexOf("3 campaigns do not add up.")).toBeLessThan(shown.indexOf("1 project has reached"));
});

it("reports that no alert is active when none is firing", async () => {
  answerWith([]);
  const shown = textOf(await alertsOf({ alertmanager: createAlertmanager(url), prometheus: null }));
  expect(shown).toContain("No alerts are active.");
});

it("shows the alerts of Prometheus if Alertmanager does not respond, and reports this", async () => {
  answerWith("", 503);
  answer.body = "{}";
  answersOf.set("/api/v1/alerts", { status: 200, body: JSON.stringify(listed(known)) });
  const monitors = { alertmanager: createAlertmanager(url), prometheus: createPrometheus(url) };
  const shown = textOf(await alertsOf(monitors));
  expect(shown).toContain("Files-svc has not responded to /metrics for 2 minutes");
  expect(shown).toContain(`Alertmanager at ${url} does not respond. Source: Prometheus at ${url}.`);
});

it("never reports that all is well if neither Alertmanager nor Prometheus responds", async () => {
  answerWith("{}", 503);
  const monitors = { alertmanager: createAlertmanager(url), prometheus: createPrometheus(url) };
  const shown = textOf(await alertsOf(monitors));
  expect(shown).not.toContain("No alerts are active");
  expect(shown).toContain("The active alerts are unknown");
  expect(textOf(await platformPlots(monitors))).toContain(
    `There are no plots, because Prometheus at ${url} does not respond.`,
  );
});

it("names the settings to configure if the console has no monitoring", async () => {
  const none = { alertmanager: null, prometheus: null };
  const shown = textOf(await alertsOf(none));
  expect(shown).toContain("<code>ALERTMANAGER_URL</code>");
  expect(shown).not.toContain("No alerts are active");
  expect(textOf(await platformPlots(none))).toContain("<code>PROMETHEUS_URL</code>");
});
