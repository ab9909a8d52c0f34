import { repeat } from "@platform/kit/jobs/pacing";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import { Gauge } from "@prometheus-io/client";
import type { EventModels } from "../store/domain-event-model.ts";
import { findOldestUnnumberedAt } from "../store/number-events.ts";

const everyMs = 10_000;

/**
 * Reports how long the oldest event has waited for its position, whatever the reason. Consumers receive no later
 * event of its client until it has one.
 */
export function watchNumbering(
  models: EventModels,
  { logger, clock, metrics }: { logger: Logger; clock: () => Date; metrics: Metrics },
): { stop(): Promise<void> } {
  const gauge = new Gauge({
    name: "platform_events_oldest_unnumbered_seconds",
    help: "How long the oldest Domain Event has waited for its position; 0 when none waits.",
    registers: [metrics.registry],
  });
  return repeat("watch-numbering", everyMs, logger, async () => {
    const oldestAt = await findOldestUnnumberedAt(models);
    gauge.set(oldestAt === null ? 0 : Math.max(0, clock().getTime() - oldestAt.getTime()) / 1000);
  });
}
