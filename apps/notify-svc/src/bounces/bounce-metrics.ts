import { Counter, type Registry } from "@prometheus-io/client";

/** The metrics of the process that receives bounces. */
export function createBounceMetrics(registry: Registry) {
  return {
    mails: new Counter({
      name: "platform_notify_bounce_mails_total",
      help: "Mails to return paths, by what became of them: bounced, delayed, complained, ignored (no report), unknown (no such delivery), deferred.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    refused: new Counter({
      name: "platform_notify_bounce_refusals_total",
      help: "Refusals, by reason: recipient, recipients, size, connections.",
      labelNames: ["reason"],
      registers: [registry],
    }),
  };
}

export type BounceMetrics = ReturnType<typeof createBounceMetrics>;
