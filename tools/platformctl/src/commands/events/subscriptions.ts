import { type Subscription, SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull, readInteger } from "../../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../../pages.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

/** Commands of subscriptions. */
export function registerSubscriptionCommands(program: Command, ctl: Ctl): void {
  const subscriptions = topLevel(program, "subscriptions");
  const admin = () => ctl.connection("events").service(SubscriptionAdminService);

  subscriptions
    .command("create")
    .description("Call an operation for each event of some types from now on, or from a position on.")
    .requiredOption("--operation <id>", "scheduled operation id")
    .requiredOption("--types <types>", "comma-separated: *, a prefix such as order.*, or a type such as order.placed")
    .option("--from <position>", "begin after this position; 0 begins with the first event")
    .option("--order <order>", "none; or stream: an event waits for the one before it in its stream", "none")
    .addHelpText(
      "after",
      "\nExample:\n  platformctl subscriptions create --operation <id> --types 'order.*,platform.*' --order stream",
    )
    .action(async (options: { operation: string; types: string; from?: string; order: string }) => {
      if (options.order !== "none" && options.order !== "stream") throw new UsageError("--order takes none or stream");
      const reply = await admin().createSubscription(
        {
          operationId: options.operation,
          types: readTypes(options.types),
          order: options.order,
          ...(options.from === undefined ? {} : { afterPosition: readPosition("--from", options.from) }),
        },
        ctl.call(),
      );
      ctl.print(subscriptionRow(reply.subscription));
    });

  pageOptions(subscriptions.command("list"))
    .description("List a client's subscriptions, oldest first.")
    .requiredOption("--client <id>", "Project Client id")
    .action(async (options: PageOptions & { client: string }) => {
      const request = { projectClientId: options.client, ...readPage(options) };
      const reply = await admin().listSubscriptions(request, ctl.call());
      printPage(ctl, reply.subscriptions.map(subscriptionRow), reply.nextCursor);
    });

  const one = (name: string, description: string): Command =>
    subscriptions.command(name).description(description).requiredOption("--subscription <id>", "subscription id");

  one("show", "Show where a subscription stands and what fails.").action(
    async ({ subscription }: { subscription: string }) => {
      const reply = await admin().getSubscription({ subscriptionId: subscription }, ctl.call());
      ctl.print(subscriptionRow(reply.subscription));
    },
  );
  one("pause", "Call nothing until it is resumed; events wait.").action(
    async ({ subscription }: { subscription: string }) => {
      const reply = await admin().pauseSubscription({ subscriptionId: subscription }, ctl.call());
      ctl.print(subscriptionRow(reply.subscription));
    },
  );
  one("resume", "Go on where it was paused.").action(async ({ subscription }: { subscription: string }) => {
    const reply = await admin().resumeSubscription({ subscriptionId: subscription }, ctl.call());
    ctl.print(subscriptionRow(reply.subscription));
  });
  one("delete", "Remove a subscription; what it had still to call is not called.").action(
    async ({ subscription }: { subscription: string }) => {
      await admin().deleteSubscription({ subscriptionId: subscription }, ctl.call());
      ctl.print({ id: subscription, deleted: true });
    },
  );
  one("replay", "Call a range of past events once more, under their ids, beside the new ones.")
    .requiredOption("--from <position>", "events after this position")
    .option("--to <position>", "up to and with this position; without it all that was called out so far")
    .addHelpText("after", "\nExample:\n  platformctl subscriptions replay --subscription <id> --from 1200 --to 1300")
    .action(async (options: { subscription: string; from: string; to?: string }) => {
      const from = readPosition("--from", options.from);
      const to = options.to === undefined ? undefined : readPosition("--to", options.to);
      if (to !== undefined && to < from) throw new UsageError("--to takes a position that is not before --from");
      const request = {
        subscriptionId: options.subscription,
        afterPosition: from,
        ...(to === undefined ? {} : { toPosition: to }),
      };
      const reply = await admin().replaySubscription(request, ctl.call());
      ctl.print({ ...subscriptionRow(reply.subscription), from: Number(from), to: Number(reply.toPosition) });
    });
}

function readTypes(text: string): string[] {
  const types = text
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  if (types.length === 0) throw new UsageError("--types takes at least one type");
  return types;
}

const readPosition = (option: string, text: string): bigint => BigInt(readInteger(option, text, 0));

function subscriptionRow(subscription: Subscription | undefined) {
  if (subscription === undefined) throw new Error("events-svc answered without a subscription");
  return {
    id: subscription.id,
    project_client_id: subscription.projectClientId,
    operation_id: subscription.operationId,
    types: subscription.types,
    order: subscription.order,
    status: subscription.status,
    position: Number(subscription.position),
    lag: Number(subscription.lag),
    failures: Number(subscription.failures),
    created_at: isoOrNull(subscription.createdAt),
  };
}
