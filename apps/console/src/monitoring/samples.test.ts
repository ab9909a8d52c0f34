import { expect, it } from "vitest";
import { answerSeries, quantileOf, quantileSeries, queueAgeSeries, type Sample } from "./samples.ts";

const at = (minutes: number): Date => new Date(Date.UTC(2026, 2, 1, 10, minutes));
const requests = (minutes: number, answer: string, le_ms: string, sum: number, more: object = {}): Sample => ({
  service: "identity",
  at: at(minutes),
  reportedAt: at(minutes),
  name: "platform_http_request_duration_seconds",
  labels: { answer, le_ms, ...more },
  sum,
  peak: null,
  latest: null,
});

it("estimates a quantile within its bucket, as PromQL does", () => {
  const buckets = new Map([
    [100, 50],
    [200, 100],
    [Number.POSITIVE_INFINITY, 100],
  ]);
  expect(quantileOf(buckets, 0.5)).toBe(100);
  expect(quantileOf(buckets, 0.75)).toBe(150);
  expect(quantileOf(new Map([[Number.POSITIVE_INFINITY, 0]]), 0.5)).toBeNull();
  // What lies beyond the last bound is shown at it.
  expect(
    quantileOf(
      new Map([
        [100, 1],
        [Number.POSITIVE_INFINITY, 10],
      ]),
      0.99,
    ),
  ).toBe(100);
});

it("adds up answers by stretch of time, transfers too", () => {
  const samples = [
    requests(0, "2xx", "inf", 3),
    requests(10, "2xx", "inf", 4),
    requests(10, "2xx", "50", 2),
    requests(20, "2xx", "inf", 1, { transfer: "true" }),
    requests(30, "5xx", "inf", 1),
  ];
  expect(answerSeries(samples, 1_800_000)).toEqual([
    { name: "2xx", points: [{ x: at(0), y: 8 }] },
    { name: "5xx", points: [{ x: at(30), y: 1 }] },
  ]);
});

it("reads bounds that are no whole milliseconds", () => {
  const samples = [requests(0, "2xx", "2_5", 10), requests(0, "2xx", "inf", 10)];
  const [p50] = quantileSeries(samples, "platform_http_request_duration_seconds", 600_000, [0.5]);
  expect(p50?.points).toEqual([{ x: at(0), y: 1.25 }]);
});

it("leaves transfers out of durations", () => {
  const samples = [
    requests(0, "2xx", "100", 10),
    requests(0, "2xx", "inf", 10),
    requests(0, "2xx", "inf", 90, { transfer: "true" }),
  ];
  expect(quantileSeries(samples, "platform_http_request_duration_seconds", 600_000, [0.5])).toEqual([
    { name: "p50", points: [{ x: at(0), y: 50 }] },
  ]);
});

it("shows the highest age of each queue", () => {
  const age = (name: string, peak: number, labels = {}): Sample => ({
    ...requests(0, "", "", 0),
    name,
    labels,
    sum: null,
    peak,
  });
  const samples = [
    age("platform_notify_queue_age_seconds", 2),
    age("platform_notify_queue_age_seconds", 9),
    age("platform_job_queue_age_seconds", 1, { queue: "make-run" }),
    age("platform_other_seconds", 5),
  ];
  expect(queueAgeSeries(samples, 600_000).map(({ name, points }) => [name, points[0]?.y])).toEqual([
    ["deliveries", 9],
    ["make-run", 1],
  ]);
});
