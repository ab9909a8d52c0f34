import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";

/** The metrics of a delivery worker. */
export function createDeliveryMetrics(registry: Registry) {
  return {
    attempts: new Counter({
      name: "platform_notify_delivery_attempts_total",
      help: "Tries at providers, by what they answered.",
      labelNames: ["channel", "provider_status"],
      registers: [registry],
    }),
    finished: new Counter({
      name: "platform_notify_deliveries_finished_total",
      help: "Deliveries that reached their final status.",
      labelNames: ["channel", "status"],
      registers: [registry],
    }),
    attemptSeconds: new Histogram({
      name: "platform_notify_delivery_attempt_seconds",
      help: "Duration of one try at a provider.",
      labelNames: ["channel"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
      registers: [registry],
    }),
    deliverySeconds: new Histogram({
      name: "platform_notify_delivery_seconds",
      help: "From acceptance of an intent to the provider's yes.",
      labelNames: ["channel"],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 1_800, 86_400],
      registers: [registry],
    }),
    queueAgeSeconds: new Gauge({
      name: "platform_notify_queue_age_seconds",
      help: "How long the oldest due delivery has been due, without those whose provider fails.",
      registers: [registry],
    }),
    running: new Gauge({
      name: "platform_notify_deliveries_running",
      help: "Deliveries this worker is working on.",
      registers: [registry],
    }),
    pausedBulkheads: new Gauge({
      name: "platform_notify_paused_bulkheads",
      help: "Bulkheads whose circuit breaker is open.",
      registers: [registry],
    }),
    lostLeases: new Counter({
      name: "platform_notify_lost_leases_total",
      help: "Deliveries freed because their worker did not renew the lease.",
      registers: [registry],
    }),
  };
}

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;
