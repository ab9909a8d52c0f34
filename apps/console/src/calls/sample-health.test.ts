import { silentLogger } from "@platform/kit/process/telemetry";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSampling } from "./sample-health.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("samples in each minute, however long a sample takes and also if it fails", async () => {
  const startedAtMs = performance.now();
  const sampledAtMs: number[] = [];
  const { stop } = startSampling(async () => {
    sampledAtMs.push(performance.now() - startedAtMs);
    await after(7_000);
    if (sampledAtMs.length === 2) throw new Error("no answer");
  }, silentLogger());
  await vi.advanceTimersByTimeAsync(190_000);
  expect(sampledAtMs).toEqual([0, 60_000, 120_000, 180_000]);
  await stop();
});

test("waits at its stop for the running sample, because its connections close afterwards", async () => {
  const steps: string[] = [];
  const { stop } = startSampling(async () => {
    await after(2_000);
    steps.push("sampled");
  }, silentLogger());
  const stopped = stop().then(() => steps.push("stopped"));
  await vi.advanceTimersByTimeAsync(2_000);
  await stopped;
  expect(steps).toEqual(["sampled", "stopped"]);
});
