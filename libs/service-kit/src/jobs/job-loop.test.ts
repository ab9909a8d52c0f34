import { expect, test } from "vitest";
import { silentLogger } from "../process/logger.ts";
import { createMetrics } from "../process/metrics.ts";
import { startJobLoop } from "./job-loop.ts";

test("reports as queue age how long the oldest claimed item was due, and 0 when nothing is due", async () => {
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
  // Before the first claim nothing is known; then the claim of old items; then the empty one.
  expect(shown[0]).toBe(-1);
  expect(shown[1]).toBeGreaterThanOrEqual(30);
  expect(shown[2]).toBe(0);
});
