import { Gauge, type Registry } from "@prometheus-io/client";
import type { OnHeld } from "../store/remove-old-events.ts";

/** Shows in metrics how many logs hold events older than their retention because somebody has still to read them; `consumers list` and `subscriptions list` name who. */
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
