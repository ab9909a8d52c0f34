import { expect, it } from "vitest";
import { alertOf, alerts } from "./alerts.ts";
import { doLabelsMatch, judgeConditions, readerNames } from "./judge-conditions.ts";
import type { Sample } from "./samples.ts";

const now = new Date("2026-03-01T10:09:00.000Z");
const slot = new Date("2026-03-01T10:00:00.000Z");
const sample = (name: string, values: Partial<Sample> = {}): Sample => ({
  service: "notify",
  at: slot,
  reportedAt: new Date(now.getTime() - 15_000),
  name,
  labels: {},
  sum: null,
  peak: null,
  latest: null,
  ...values,
});
const judged = (samples: readonly Sample[], health: Record<string, "ok" | "degraded" | "down"> = {}) =>
  judgeConditions(new Map(Object.entries(health)), samples, now).map(({ alert }) => alert.name);

it("finds nothing where all is well", () => {
  const age = sample("platform_notify_queue_age_seconds", { latest: 60 });
  const scanner = sample("platform_files_malware_scanner_configured", { latest: 1 });
  expect(judged([age, scanner], { gateway: "ok", redis: "ok" })).toEqual([]);
});

it("names components that are down or degraded by their alerts", () => {
  const health = { redis: "degraded", "notify-svc": "down", "files-svc": "degraded", gateway: "ok" } as const;
  expect(judged([], health).sort()).toEqual(["DependencyDown", "ProcessDown", "RedisFull"]);
});

it("fires one past the bound of an alert rule, with the rule's runbook section", () => {
  const [condition] = judgeConditions(
    new Map(),
    [
      sample("platform_job_queue_age_seconds", { service: "events", labels: { queue: "make-run" }, latest: 61 }),
      sample("platform_job_queue_age_seconds", { service: "files", labels: { queue: "classify" }, latest: 60 }),
    ],
    now,
  );
  expect(condition?.alert).toBe(alertOf("JobsWait"));
  expect(condition?.what).toBe("events platform_job_queue_age_seconds make-run: 61 (fires at > 60)");
  expect(condition?.alert.runbook).toContain("Scheduled runs (`make-run`)");
});

it("judges the latest value, not the highest of the slot, and no value that is old", () => {
  const name = "platform_files_oldest_quarantined_seconds";
  expect(judged([sample(name, { peak: 2_000, latest: 0 })])).toEqual([]);
  expect(judged([sample(name, { latest: 2_000 })])).toEqual(["FilesStayInQuarantine"]);
  expect(judged([sample(name, { latest: 2_000, reportedAt: new Date(now.getTime() - 400_000) })])).toEqual([]);
});

it("fires while a missing scanner lets uploads through, and after the operator token was used", () => {
  const scanner = sample("platform_files_malware_scanner_configured", { latest: 0 });
  const used = sample("platform_operator_break_glass_total", { sum: 1 });
  expect(judged([scanner, used])).toEqual(["UploadsUnscanned", "BreakGlassUsed"]);
  expect(judged([{ ...used, at: new Date(now.getTime() - 40 * 60_000) }])).toEqual([]);
});

it("judges the share of failed requests and their p99 by the rules' bounds", () => {
  const name = "platform_http_request_duration_seconds";
  const requests = (answer: string, le_ms: string, sum: number) => sample(name, { labels: { answer, le_ms }, sum });
  const fast = [requests("2xx", "500", 980), requests("2xx", "inf", 980)];
  expect(judged([...fast, requests("5xx", "500", 9), requests("5xx", "inf", 9)])).toEqual([]);
  expect(judged([...fast, requests("5xx", "500", 11), requests("5xx", "inf", 11)])).toEqual(["RequestsFail"]);
  const slow = [requests("2xx", "500", 80), requests("2xx", "1000", 100), requests("2xx", "inf", 100)];
  expect(judged(slow)).toEqual(["RequestsSlow"]);
});

it("leaves out what a rule's matchers leave out", () => {
  const labels = { percent: "100", resource: "api_traffic" };
  expect(judged([sample("platform_quotas_over_threshold", { labels, latest: 1 })])).toEqual([]);
  expect(
    judged([sample("platform_quotas_over_threshold", { labels: { ...labels, resource: "events" }, latest: 1 })]),
  ).toEqual(["QuotasReached"]);
  expect(doLabelsMatch({ dependency: "clamd" }, 'dependency!~"redis|mongodb"')).toBe(true);
  expect(doLabelsMatch({ dependency: "redis" }, 'dependency!~"redis|mongodb"')).toBe(false);
});

it("reads by hand only rules that there are, by their bounds", () => {
  for (const name of readerNames) expect([name, alertOf(name)?.bound?.comparison]).toEqual([name, ">"]);
  for (const { name, runbook } of alerts) expect([name, runbook.length > 20]).toEqual([name, true]);
});
