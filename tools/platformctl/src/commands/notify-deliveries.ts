import type { MessageInitShape } from "@bufbuild/protobuf";
import { deliveries } from "@platform/contracts/operator/deliveries";
import { rowOf } from "@platform/contracts/operator/row-values";
import { DeliveryAdminService, type DeliveryFilterSchema } from "@platform/proto/notify/v1/delivery_admin";
import { NotifyAdminService, OperatorDeliverySchema } from "@platform/proto/notify/v1/notify_admin";
import type { Command } from "commander";
import { untilAnswered } from "../bulk.ts";
import type { Ctl } from "../ctl.ts";
import { operationNamed, optionsByName, registerResource, requestOf } from "../operator-commands.ts";
import { sumBatches } from "../progress.ts";
import { topLevel } from "../top-level.ts";
import { UsageError } from "../usage-error.ts";

type RetryOptions = {
  readonly delivery?: string;
  readonly client?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
  readonly dryRun?: true;
};

/** Number of deliveries in one call of a bulk retry. It is small, so that one write does not flood the workers. */
const batch = 100;

/** Commands `deliveries …`. */
export function registerDeliveryCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("notify").service(NotifyAdminService);
  const search = () => ctl.connection("notify").service(DeliveryAdminService);
  const group = topLevel(program, "deliveries");
  registerResource(group, ctl, deliveries);
  const retry = group
    .command("retry")
    .description(
      "Put failed deliveries back into the queue, each with a full set of attempts and another 24 hours: one delivery, or all that match a filter.",
    )
    .option("--delivery <id>", "id of one delivery")
    .option("--client <id>", "Project Client id, instead of --delivery: all deliveries of the project …")
    .option("--status <status>", "… with this status: failed")
    .option("--channel <channel>", "email, fcm, apns, line or web_push")
    .option("--error-code <code>", "code of the last error, such as smtp_550")
    .option("--template <key>", "key of the template")
    .option("--since <time>", "accepted at or after this time: RFC 3339, or an age such as 2h or 7d")
    .option("--until <time>", "accepted before this time")
    .option("--dry-run", "only count the deliveries")
    .addHelpText(
      "after",
      `
Examples:
  platformctl deliveries retry --delivery <delivery id>
  platformctl deliveries retry --client <client id> --status failed --since 12h --dry-run

If a retry is interrupted, repeat it with the same options. Deliveries that it has put back are no longer failed.`,
    )
    .action(async (options: RetryOptions) => {
      if ((options.delivery === undefined) === (options.client === undefined)) {
        throw new UsageError("give either --delivery or --client");
      }
      if (options.delivery !== undefined) {
        const { delivery } = await admin().retryDelivery({ deliveryId: options.delivery }, ctl.call());
        if (delivery === undefined) throw new Error("RetryDelivery returned no delivery");
        return ctl.print(rowOf(OperatorDeliverySchema, deliveries.columns, delivery));
      }
      if (options.status !== "failed") throw new UsageError("--status must be failed");
      if (options.since === undefined) throw new UsageError("--since is required with --client");
      // The retry does not include deliveries that fail after it has started.
      const until = options.until ?? new Date().toISOString();
      // The filter is parsed in the same way as that of `deliveries list`.
      const asked = requestOf(operationNamed(deliveries, "list"), { ...optionsByName(retry), until });
      const filter = asked.filter as MessageInitShape<typeof DeliveryFilterSchema>;
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
