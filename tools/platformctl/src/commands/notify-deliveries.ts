import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { NotifyAdminService, type OperatorDelivery } from "@platform/proto/notify/v1/notify_admin";
import type { Command } from "commander";
import { untilAnswered } from "../bulk.ts";
import type { Ctl } from "../ctl.ts";
import { isoOrNull, readTimestamp } from "../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../pages.ts";
import { sumBatches } from "../progress.ts";
import { topLevel } from "../top-level.ts";
import { UsageError } from "../usage-error.ts";

type FilterOptions = {
  readonly client: string;
  readonly channel?: string;
  readonly status?: string;
  readonly errorCode?: string;
  readonly template?: string;
  readonly endpoint?: string;
  readonly since?: string;
  readonly until?: string;
};

/** Deliveries of one call of a bulk retry: small, so that a worker is never swamped by one write. */
const batch = 100;

/** `deliveries`. */
export function registerDeliveryCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(NotifyAdminService);
  const search = () => ctl.connection("notify").service(DeliveryAdminService);
  const deliveries = topLevel(program, "deliveries");
  pageOptions(deliveries.command("list"))
    .description("List a client's deliveries, newest first.")
    .requiredOption("--client <id>", "the Project Client")
    .option("--channel <channel>", "email, fcm, apns, line or web_push")
    .option("--status <status>", "pending, sending, sent or failed")
    .option("--error-code <code>", "the last error, such as smtp_550")
    .option("--template <key>", "the template's key")
    .option("--endpoint <id>", "the Delivery Endpoint")
    .option("--since <time>", "accepted at this time or later: RFC 3339, or 2h, 7d ago")
    .option("--until <time>", "accepted before this time")
    .option("--reveal", "show addresses; asks for --reason")
    .addHelpText("after", "\nExample:\n  platformctl deliveries list --client <client id> --status failed --since 12h")
    .action(async (options: FilterOptions & PageOptions & { reveal?: true }) => {
      const { deliveries: rows, nextCursor } = await search().listDeliveries(
        { filter: filterOf(options), ...readPage(options), reveal: options.reveal === true },
        ctl.call(options.client),
      );
      printPage(ctl, rows.map(rowOf), nextCursor);
    });
  deliveries
    .command("show")
    .description("Show a delivery with its latest attempts. The message is not shown.")
    .requiredOption("--delivery <id>", "the delivery")
    .option("--reveal", "show the address; asks for --reason")
    .addHelpText("after", "\nExample:\n  platformctl deliveries show --delivery <delivery id>")
    .action(async ({ delivery: deliveryId, reveal }: { delivery: string; reveal?: true }) => {
      const { delivery } = await admin().showDelivery({ deliveryId, reveal: reveal === true }, ctl.call());
      ctl.print(toPrint(delivery));
    });
  deliveries
    .command("retry")
    .description(
      "Put failed deliveries back into the queue, with a fresh count of attempts and another 24 hours: one, or all of a filter.",
    )
    .option("--delivery <id>", "one delivery")
    .option("--client <id>", "or: all of this Project Client …")
    .option("--status <status>", "… that are: failed")
    .option("--channel <channel>", "email, fcm, apns, line or web_push")
    .option("--error-code <code>", "the last error, such as smtp_550")
    .option("--template <key>", "the template's key")
    .option("--since <time>", "accepted at this time or later: RFC 3339, or 2h, 7d ago")
    .option("--until <time>", "accepted before this time")
    .option("--dry-run", "count only")
    .addHelpText(
      "after",
      `
Examples:
  platformctl deliveries retry --delivery <delivery id>
  platformctl deliveries retry --client <client id> --status failed --since 12h --dry-run

A retry that was interrupted is begun again with the same options: what it had sent is not failed any more.`,
    )
    .action(async (options: Partial<FilterOptions> & { delivery?: string; dryRun?: true }) => {
      if ((options.delivery === undefined) === (options.client === undefined)) {
        throw new UsageError("give either --delivery or --client");
      }
      if (options.delivery !== undefined) {
        const { delivery } = await admin().retryDelivery({ deliveryId: options.delivery }, ctl.call());
        return ctl.print(toPrint(delivery));
      }
      if (options.status !== "failed") throw new UsageError("--status must be failed");
      if (options.since === undefined) throw new UsageError("--since is required: from when");
      // Deliveries that fail later are left out.
      const filter = filterOf({ client: "", until: new Date().toISOString(), ...options });
      const sum = await sumBatches("deliveries", async (cursor) => {
        const { matched, retried, skipped, nextCursor } = await untilAnswered(() =>
          search().retryDeliveries(
            { filter, dryRun: options.dryRun === true, limit: batch, cursor },
            ctl.call(options.client),
          ),
        );
        return [{ matched, retried, skipped }, nextCursor];
      });
      ctl.print(sum);
    });
}

function filterOf(options: FilterOptions) {
  const since = readTimestamp("--since", options.since);
  const until = readTimestamp("--until", options.until);
  return {
    projectClientId: options.client,
    channel: options.channel ?? "",
    status: options.status ?? "",
    errorCode: options.errorCode ?? "",
    templateKey: options.template ?? "",
    endpointId: options.endpoint ?? "",
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

function rowOf(delivery: OperatorDelivery) {
  return {
    id: delivery.id,
    channel: delivery.channel,
    status: delivery.status,
    attempts: delivery.attempts,
    provider_status: delivery.providerStatus ?? null,
    last_error_code: delivery.lastErrorCode ?? null,
    template_key: delivery.templateKey ?? null,
    endpoint_id: delivery.endpointId,
    address_hint: delivery.addressHint,
    ...(delivery.address === undefined ? {} : { address: delivery.address }),
    sender_profile_id: delivery.senderProfileId,
    project_client_id: delivery.projectClientId,
    intent_id: delivery.intentId,
    created_at: isoOrNull(delivery.createdAt),
    due_at: isoOrNull(delivery.dueAt),
    finished_at: isoOrNull(delivery.finishedAt),
  };
}

function toPrint(delivery: OperatorDelivery | undefined) {
  if (delivery === undefined) throw new Error("notify-svc answered without a delivery");
  return {
    ...rowOf(delivery),
    attempt_log: delivery.attemptLog.map((attempt) => ({
      attempt: attempt.attempt,
      at: isoOrNull(attempt.at),
      provider_status: attempt.providerStatus,
      error_code: attempt.errorCode ?? null,
      duration_ms: attempt.durationMs,
    })),
  };
}
