import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import type { DisabledClients } from "@platform/operator-plane/clients";
import { Gauge } from "@prometheus-io/client";
import type { EventModels } from "../../store/domain-event-model.ts";
import { findOldestUnrelayedAt } from "../../store/relay-events.ts";

const everyMs = 10_000;

/**
 * Reports how long the oldest event has waited for NATS, whatever the reason. Events of disabled clients are not
 * counted, because they wait on purpose.
 */
export function watchRelay(
  models: EventModels,
  options: {
    readonly disabledClients: Pick<DisabledClients, "ids">;
    readonly logger: Logger;
    readonly clock: () => Date;
    readonly metrics: Metrics;
  },
): RepeatedJob {
  const { disabledClients, logger, clock, metrics } = options;
  const gauge = new Gauge({
    name: "platform_events_oldest_unrelayed_seconds",
    help: "How long the oldest Domain Event has waited for the relay to NATS JetStream; 0 when none waits.",
    registers: [metrics.registry],
  });
  return repeat("watch-relay", everyMs, logger, async () => {
    const oldestAt = await findOldestUnrelayedAt(models, disabledClients.ids());
    gauge.set(oldestAt === null ? 0 : Math.max(0, clock().getTime() - oldestAt.getTime()) / 1000);
  });
}
