import { Gauge, type Registry } from "@prometheus-io/client";
import type { OnHeld } from "../store/remove-old-events.ts";

/**
 * Exports as a metric how many logs contain events that are kept beyond their retention because somebody has not read
 * them. The commands `consumers list` and `subscriptions list` show who has not.
 */
export function measureHeldEvents(registry: Registry): OnHeld {
  const held = new Set<string>();
  const gauge = new Gauge({
    name: "platform_events_logs_held",
    help: "Logs with events older than their retention that a consumer, a subscription or the relay has still to read.",
    registers: [registry],
  });
  return (clientId, isHeld) => {
    if (isHeld) held.add(clientId);
    else held.delete(clientId);
    gauge.set(held.size);
  };
}
