import { setTimeout as delay } from "node:timers/promises";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { parseExactly } from "@platform/contracts/exact-json";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";
import { isServiceError } from "@platform/service-kit/errors/service-error";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { UsageError } from "../../usage-error.ts";

const reconnectMs = 500;

/** Commands of Domain Events. */
export function registerEventLogCommands(program: Command, ctl: Ctl): void {
  const events = program.command("events").description("Read the Domain Events of a Project Client.");

  events
    .command("tail")
    .description("Print a client's events in commit order, one JSON line each, and follow. Ends with Ctrl-C.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--from <position>", "begin after this position; 0 prints all. Without it only new events are printed")
    .option(
      "--type <type>",
      "only events of this type; may be given again",
      (type: string, all: string[]) => [...all, type],
      [],
    )
    .option("--limit <n>", "end after this many events")
    .addHelpText(
      "after",
      `
Examples:
  platformctl events tail --client <client id>
  platformctl events tail --client <client id> --from 0 --limit 10
  platformctl events tail --client <client id> --from 1234 --type order.placed

To go on where you ended, give the last position printed as --from.`,
    )
    .action(async (options: { client: string; from?: string; type: string[]; limit?: string }) => {
      const from = count("--from", options.from);
      const limit = count("--limit", options.limit) ?? Number.POSITIVE_INFINITY;
      const stop = new AbortController();
      process.once("SIGINT", () => stop.abort());
      process.once("SIGTERM", () => stop.abort());
      await follow(ctl, { client: options.client, from, types: options.type, limit }, stop);
    });
}

type Following = { client: string; from: number | undefined; types: readonly string[]; limit: number };

/** Prints until the limit or a signal; when the server goes away it goes on from the last position at the next one. */
async function follow(ctl: Ctl, { client, from, types, limit }: Following, stop: AbortController): Promise<void> {
  const consumer = ctl.connection("events").service(DomainEventConsumerService);
  let position = from;
  let printed = 0;
  let hasRead = false;
  while (printed < limit && !stop.signal.aborted) {
    const { context } = ctl.call();
    const request = { projectClientId: client, types: [...types] };
    const stream = consumer.readEvents(
      position === undefined ? request : { ...request, afterPosition: BigInt(position) },
      { context, signal: stop.signal },
    );
    try {
      for await (const answer of stream) {
        hasRead = true;
        position = Number(answer.position);
        if (answer.event === undefined) continue;
        ctl.printLine({ position, event: envelope(answer.event) });
        printed += 1;
        if (printed >= limit) break;
      }
      if (printed < limit && !stop.signal.aborted) await delay(reconnectMs);
    } catch (error) {
      // Only a server that was there and went away is waited for; a wrong address or token is told at once.
      if (!hasRead || !isServiceError(error, "dependency_unavailable")) throw error;
      await delay(reconnectMs);
    }
  }
  stop.abort();
}

function count(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${option} takes a whole number from 0`);
  return Number(text);
}

function envelope(event: DomainEvent) {
  return {
    id: event.id,
    project_client_id: event.projectClientId,
    type: event.type,
    schema_version: event.schemaVersion,
    data: parseExactly(event.dataJson),
    stream_id: event.streamId ?? null,
    sequence: event.sequence === undefined ? null : Number(event.sequence),
    occurred_at: event.occurredAt === undefined ? null : timestampDate(event.occurredAt).toISOString(),
    published_at: event.publishedAt === undefined ? null : timestampDate(event.publishedAt).toISOString(),
  };
}
