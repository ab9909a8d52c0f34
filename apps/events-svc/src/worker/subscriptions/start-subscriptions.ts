import type { Metrics } from "@platform/kit/process/telemetry";
import type { SubscriptionModels } from "../../store/subscriptions.ts";
import { startSubscriptionMetrics } from "./measure-subscriptions.ts";
import { type EventRunRecorder, startEventRunRecorder } from "./record-event-runs.ts";

/**
 * Starts the jobs of subscriptions: one records runs of scheduled operations for events, and the other measures the
 * lag.
 */
export function startSubscriptions(
  models: SubscriptionModels,
  options: Parameters<typeof startEventRunRecorder>[1] & { readonly metrics: Metrics },
): EventRunRecorder {
  const recorder = startEventRunRecorder(models, options);
  const measured = startSubscriptionMetrics(models, options);
  return {
    notify: recorder.notify,
    stop: async () => {
      await Promise.all([recorder.stop(), measured.stop()]);
    },
  };
}
