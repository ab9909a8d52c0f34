import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { NotifyAdminService, type OperatorDelivery } from "@platform/proto/notify/v1/notify_admin";
import type { Command } from "commander";
import type { Ctl } from "../ctl.ts";

/** `deliveries`. */
export function registerDeliveryCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(NotifyAdminService);
  const deliveries = program.command("deliveries").description("Notification Deliveries: what became of a message.");
  deliveries
    .command("show")
    .description("Show a delivery with its latest attempts. The message and the address are not shown.")
    .requiredOption("--delivery <id>", "the delivery")
    .addHelpText("after", "\nExample:\n  platformctl deliveries show --delivery <delivery id>")
    .action(async ({ delivery: deliveryId }: { delivery: string }) => {
      const { delivery } = await admin().showDelivery({ deliveryId }, ctl.call());
      ctl.print(toPrint(delivery));
    });
  deliveries
    .command("retry")
    .description("Put a failed delivery back into the queue, with a fresh count of attempts and another 24 hours.")
    .requiredOption("--delivery <id>", "the delivery")
    .addHelpText("after", "\nExample:\n  platformctl deliveries retry --delivery <delivery id>")
    .action(async ({ delivery: deliveryId }: { delivery: string }) => {
      const { delivery } = await admin().retryDelivery({ deliveryId }, ctl.call());
      ctl.print(toPrint(delivery));
    });
}

function toPrint(delivery: OperatorDelivery | undefined) {
  if (delivery === undefined) throw new Error("notify-svc answered without a delivery");
  return {
    id: delivery.id,
    project_client_id: delivery.projectClientId,
    intent_id: delivery.intentId,
    channel: delivery.channel,
    endpoint_id: delivery.endpointId,
    sender_profile_id: delivery.senderProfileId,
    status: delivery.status,
    attempts: delivery.attempts,
    provider_status: delivery.providerStatus ?? null,
    last_error_code: delivery.lastErrorCode ?? null,
    created_at: isoOf(delivery.createdAt),
    due_at: isoOf(delivery.dueAt),
    finished_at: isoOf(delivery.finishedAt),
    attempt_log: delivery.attemptLog.map((attempt) => ({
      attempt: attempt.attempt,
      at: isoOf(attempt.at),
      provider_status: attempt.providerStatus,
      error_code: attempt.errorCode ?? null,
      duration_ms: attempt.durationMs,
    })),
  };
}

function isoOf(timestamp: Timestamp | undefined): string | null {
  return timestamp === undefined ? null : timestampDate(timestamp).toISOString();
}
