import { expect, it } from "vitest";
import { bucketKeys, isMeasurementKey, measurementKey, readMeasurementKey } from "./measurement.ts";

it("reads a key as the metric and labels it was made of", () => {
  const key = measurementKey("platform_job_queue_age_seconds", { queue: "make-run" });
  expect(readMeasurementKey(key)).toEqual({ name: "platform_job_queue_age_seconds", labels: { queue: "make-run" } });
});

it("makes keys that are names of fields, whatever a label's value is", () => {
  expect(isMeasurementKey(measurementKey("sent", { channel: "a.$b|c=d\u0000" }))).toBe(true);
  for (const key of ["$inc", "a.b", "", "reports.x", "sent|channel=a.b", `a${"b".repeat(200)}`])
    expect([key, isMeasurementKey(key)]).toEqual([key, false]);
});

it("names every bucket that a value falls into", () => {
  expect(bucketKeys("sent", {}, [100, 1000], 250)).toEqual(["sent|le_ms=1000", "sent|le_ms=inf"]);
  expect(bucketKeys("sent", {}, [100], 100)).toEqual(["sent|le_ms=100", "sent|le_ms=inf"]);
});
