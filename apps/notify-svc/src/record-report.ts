import type { Delivery } from "./domain/delivery.ts";
import type { EndpointChange } from "./domain/endpoint.ts";
import type { MailReport } from "./domain/mail-report.ts";
import { suppressDead, suppressMarketing } from "./domain/suppression.ts";
import type { Stores } from "./store/stores.ts";

/**
 * `early` means that the worker has not yet recorded that the email was sent, so the report must be sent again later.
 */
export type Recorded = "recorded" | "early" | "unknown_delivery";

const unchanged: EndpointChange = { next: null, failure: null };

/**
 * Records a report. Once it has resolved, all consequences of the report are stored; repeating it after a crash
 * completes it.
 * @param deliveryId delivery of the return path that the report was sent to
 */
export async function recordReport(
  stores: Pick<Stores, "endpoints" | "mailReports">,
  deliveryId: string,
  report: MailReport,
  now: Date,
): Promise<Recorded> {
  const delivery = await stores.mailReports.findReported(deliveryId);
  if (delivery === null) return "unknown_delivery";
  if (delivery.status === "sending" || delivery.status === "pending") return "early";
  await suppressEndpoint(stores, delivery, report, now);
  await stores.mailReports.record(delivery, report, now);
  return "recorded";
}

async function suppressEndpoint(
  { endpoints }: Pick<Stores, "endpoints">,
  delivery: Delivery,
  report: MailReport,
  now: Date,
): Promise<void> {
  if (report.kind === "bounced" && !report.isAboutAddress) return;
  const { projectClientId, endpointId, ownershipGeneration, purpose, correlationId } = delivery;
  await endpoints.change(
    projectClientId,
    endpointId,
    (current) => {
      // The email was sent to an earlier owner of the address, so the report does not concern the current one.
      if (current.ownershipGeneration !== ownershipGeneration) return unchanged;
      return report.kind === "complained"
        ? suppressMarketing(current, purpose, now)
        : suppressDead(current, "bounced", "bounced", now);
    },
    { by: report.kind === "complained" ? "owner" : "provider", correlationId, deliveryId: delivery.id },
    now,
  );
}
