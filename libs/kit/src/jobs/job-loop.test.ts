import { afterEach, expect, test, vi } from "vitest";
import { silentLogger } from "../process/logger.ts";
import { createMetrics } from "../process/metrics.ts";
import { startJobLoop } from "./job-loop.ts";

afterEach(() => void vi.useRealTimers());

test("reports how long the oldest claimed item had been due as the queue age, and 0 when nothing is due", async () => {
  const { jobQueueAge: gauge, registry } = createMetrics("test", { processMetrics: false });
  const shown: number[] = [];
  const queue = [[{ dueAt: new Date(Date.now() - 30_000) }, { dueAt: null }], []];
  const emptied = Promise.withResolvers<void>();
  const loop = startJobLoop<{ dueAt: Date | null }>({
    name: "test-queue",
    logger: silentLogger(),
    concurrency: 4,
    pollMs: 1,
    claim: async () => {
      const metric = await registry.getSingleMetric("platform_job_queue_age_seconds")?.get();
      shown.push(metric?.values[0]?.value ?? -1);
      const items = queue.shift();
      if (items === undefined) emptied.resolve();
      return items ?? [];
    },
    work: async () => {},
    queueAge: { gauge, dueAtOf: ({ dueAt }) => dueAt },
  });
  await emptied.promise;
  await loop.stop();
  // The gauge is -1 before the first claim, then the age of the oldest claimed item, then 0 after a claim that found
  // nothing.
  expect(shown[0]).toBe(-1);
  expect(shown[1]).toBeGreaterThanOrEqual(30);
  expect(shown[2]).toBe(0);
});

test("polls by `idlePollMs` while no item is being processed, by `pollMs` while one is, and immediately when notified", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const done = Promise.withResolvers<void>();
  const queue = [[], ["an item"]];
  let claims = 0;
  const loop = startJobLoop<string>({
    name: "test-queue",
    logger: silentLogger(),
    concurrency: 4,
    pollMs: 20,
    idlePollMs: 1_000,
    claim: async () => {
      claims += 1;
      return queue.shift() ?? [];
    },
    work: () => done.promise,
  });
  await vi.advanceTimersByTimeAsync(700);
  expect(claims).toBe(1);
  loop.notify();
  await vi.advanceTimersByTimeAsync(0);
  // One claim returned the item, and the next one found nothing.
  expect(claims).toBe(3);
  await vi.advanceTimersByTimeAsync(700);
  expect(claims).toBeGreaterThan(20);
  done.resolve();
  await loop.stop();
});
