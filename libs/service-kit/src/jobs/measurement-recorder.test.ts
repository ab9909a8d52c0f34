import { Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import { expect, it } from "vitest";
import { silentLogger } from "../process/logger.ts";
import type { MeasurementReport } from "../process/measurement.ts";
import { createMeasurementRecorder } from "./measurement-recorder.ts";

const start = new Date("2026-03-01T10:09:59.000Z");

function recorderOf(registry: Registry, time = { now: start }) {
  const reports: MeasurementReport[] = [];
  const recorder = createMeasurementRecorder({
    record: async (report) => void reports.push(report),
    registry,
    everyMs: 3_600_000,
    clock: () => time.now,
    logger: silentLogger(),
  });
  return { reports, recorder };
}

it("reports what counters grew by and what gauges showed, by answer and label, in slots of ten minutes", async () => {
  const registry = new Registry();
  registry.setDefaultLabels({ service: "gateway" });
  const registers = [registry];
  const age = new Gauge({ name: "platform_job_queue_age_seconds", help: "h", labelNames: ["queue"], registers });
  const used = new Counter({ name: "platform_operator_break_glass_total", help: "h", registers });
  const duration = new Histogram({
    name: "platform_http_request_duration_seconds",
    help: "h",
    labelNames: ["operation", "status", "code"],
    buckets: [0.05, 0.5],
    registers,
  });
  new Gauge({ name: "of_no_interest", help: "h", registers }).set(1);
  age.set({ queue: "make-run" }, 7);
  used.inc(3);
  duration.observe({ operation: "edge.noop", status: "200", code: "ok" }, 0.2);
  duration.observe({ operation: "edge.noop", status: "201", code: "ok" }, 0.01);
  duration.observe({ operation: "files.upload", status: "200", code: "ok" }, 60);
  const { reports, recorder } = recorderOf(registry);
  await recorder.close();
  expect(reports[0]?.slots).toEqual([
    {
      clientId: "",
      at: new Date("2026-03-01T10:00:00.000Z"),
      sums: {
        platform_operator_break_glass_total: 3,
        "platform_http_request_duration_seconds|answer=2xx|le_ms=50": 1,
        "platform_http_request_duration_seconds|answer=2xx|le_ms=500": 2,
        "platform_http_request_duration_seconds|answer=2xx|le_ms=inf": 2,
        "platform_http_request_duration_seconds|answer=2xx|transfer=true|le_ms=inf": 1,
      },
      gauges: { "platform_job_queue_age_seconds|queue=make-run": 7 },
    },
  ]);
});

it("keeps what belongs to a Project Client by hour, and begins a new slot when its time has come", async () => {
  const time = { now: start };
  const { reports, recorder } = recorderOf(new Registry(), time);
  recorder.add("a", "sent", 1);
  recorder.add("a", "sent", 1);
  time.now = new Date("2026-03-01T11:00:00.000Z");
  recorder.set("a", "lag", 5);
  await recorder.close();
  expect(reports.flatMap((report) => report.slots)).toEqual([
    { clientId: "a", at: new Date("2026-03-01T10:00:00.000Z"), sums: { sent: 2 }, gauges: {} },
    { clientId: "a", at: new Date("2026-03-01T11:00:00.000Z"), sums: {}, gauges: { lag: 5 } },
  ]);
});

it("repeats a failed report unchanged, under its number", async () => {
  const sent: MeasurementReport[] = [];
  const recorder = createMeasurementRecorder({
    record: async (report) => {
      sent.push(report);
      if (sent.length === 1) throw new Error("no answer");
    },
    registry: new Registry(),
    everyMs: 1,
    clock: () => start,
    logger: silentLogger(),
  });
  recorder.add("a", "sent", 1);
  const until = Date.now() + 5_000;
  while (sent.length < 2 && Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
  await recorder.close();
  expect(sent[1]).toEqual(sent[0]);
});

it("splits the slots of 1,001 Project Clients into reports that the receiver takes", async () => {
  const { reports, recorder } = recorderOf(new Registry());
  for (let index = 0; index < 1_001; index += 1) recorder.add(`client-${index}`, "requests", 1);
  await recorder.close();
  expect(reports.map(({ sequence, slots }) => [sequence, slots.length])).toEqual([
    [1, 500],
    [1, 500],
    [1, 1],
  ]);
});
