import { collectionOf, withFact } from "@platform/kit/store/documents";
import type { PlatformFacts } from "@platform/operator-plane/platform-events";
import type { Connection } from "mongoose";
import type { Delivery } from "../domain/delivery.ts";
import type { MailReport } from "../domain/mail-report.ts";
import { type DeliveryRecord, deliveryModel, toDelivery } from "./delivery-model.ts";

/**
 * Maximum number of attempts and reports that are kept for one delivery. There are up to ten attempts; the others are
 * reports of servers that still retry.
 */
const logMax = 20;

/** Stores reports about emails that were sent. */
export function createMailReportStore(connection: Connection, facts: Pick<PlatformFacts, "of">) {
  const model = deliveryModel(connection);

  const bouncedFact = ({ id, projectClientId, kind, intentId, endpointId, channel }: Delivery, now: Date) =>
    kind === "intent"
      ? facts.of(
          projectClientId,
          {
            resource: "notification_delivery",
            id,
            state: "bounced",
            data: {
              notification_intent_id: intentId,
              delivery_endpoint_id: endpointId,
              channel,
              last_error_code: "bounced",
            },
          },
          now,
        )
      : null;

  return {
    /**
     * Records a report in its delivery. A permanent bounce fails a delivery that is `sent`, which is the only
     * transition from that status. Any other report only adds an entry to the delivery's log. Repeating the report of
     * a failed delivery changes nothing.
     */
    record: async (delivery: Delivery, report: MailReport, now: Date): Promise<void> => {
      const isFailure = report.kind === "bounced" && report.isPermanent;
      const entry: DeliveryRecord["attempt_log"][number] = {
        attempt: delivery.attempts,
        at: now,
        provider_status: report.kind,
        error_code: report.kind === "bounced" ? `bounced_${report.status}` : null,
        duration_ms: 0,
      };
      const update = {
        ...(isFailure ? { $set: { status: "failed" as const, last_error_code: "bounced", finished_at: now } } : {}),
        $push: { attempt_log: { $each: [entry], $slice: -logMax } },
      };
      await collectionOf(model).updateOne(
        { _id: delivery.id, status: "sent" },
        withFact(update, isFailure ? bouncedFact(delivery, now) : null),
      );
    },
    /** The delivery that a report is about. */
    findReported: async (id: string): Promise<Delivery | null> => {
      const record = await model.findOne({ _id: id, channel: "email" }).lean<DeliveryRecord>().exec();
      return record === null ? null : toDelivery(record);
    },
  };
}
