import { repeat } from "@platform/kit/jobs/pacing";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import { Gauge } from "@prometheus-io/client";
import { findActiveSubscriptions } from "../../store/record-event-runs.ts";
import { toSubscription } from "../../store/subscription-model.ts";
import { progressOf, type SubscriptionModels } from "../../store/subscriptions.ts";

const everyMs = 15_000;

/**
 * Exports the lag of active subscriptions as metrics, for all of them together. The command `subscriptions list`
 * shows the lag of each one.
 */
export function startSubscriptionMetrics(
  models: SubscriptionModels,
  { logger, metrics }: { logger: Logger; metrics: Metrics },
): { stop(): Promise<void> } {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics.registry] });
  const lag = gauge(
    "platform_events_subscription_lag",
    "Positions of the log the active subscription furthest behind has still to call out.",
  );
  const failures = gauge(
    "platform_events_subscription_failures",
    "Events whose last call failed, over all active subscriptions.",
  );
  const active = gauge("platform_events_subscriptions", "Active subscriptions.");
  return repeat("measure-subscriptions", everyMs, logger, async (signal) => {
    let lagMax = 0;
    let failed = 0;
    const subscriptions = await findActiveSubscriptions(models.subscriptions);
    for (const document of subscriptions) {
      if (signal.aborted) return;
      const progress = await progressOf(models, toSubscription(document));
      lagMax = Math.max(lagMax, progress.lag);
      failed += progress.failures;
    }
    lag.set(lagMax);
    failures.set(failed);
    active.set(subscriptions.length);
  });
}
