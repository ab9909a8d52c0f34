import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { readInteger } from "../../options.ts";
import { type PageOptions, pageOptions, printPage, readPage } from "../../pages.ts";
import { envelope } from "./event-envelope.ts";

type Read = { readonly position: number; readonly event: DomainEvent };

/** Command `events list`: prints one page of a client's log. Unlike `events tail`, it ends by itself. */
export function registerListEvents(events: Command, ctl: Ctl): void {
  pageOptions(events.command("list"))
    .description("List the events of a project, oldest first: the latest ones, or those after a position.")
    .requiredOption("--client <id>", "Project Client id")
    .option("--from <position>", "start after this position; 0 starts with the first event")
    .addHelpText("after", "\nExample:\n  platformctl events list --client <client id> --from 0 --limit 20")
    .action(async (options: PageOptions & { client: string; from?: string }) => {
      const { limit, cursor } = readPage(options);
      const [option, given] = cursor === "" ? (["--from", options.from] as const) : (["--cursor", cursor] as const);
      const begin = given === undefined ? undefined : readInteger(option, given, 0);
      const last = await lastPosition(ctl, options.client);
      const from = begin ?? Math.max(0, last - limit);
      const items = await readUpTo(ctl, options.client, { from, last, limit });
      const end = items.at(-1)?.position ?? last;
      const rows = items.map(({ position, event }) => ({ position, event: envelope(event) }));
      printPage(ctl, rows, end < last ? String(end) : "");
    });
}

/** Returns the position of a log's last event, or 0 for an empty log. A stream that is opened without a start position reports it first. */
export async function lastPosition(ctl: Ctl, projectClientId: string): Promise<number> {
  for await (const { position } of stream(ctl, { projectClientId })) return Number(position);
  return 0;
}

async function readUpTo(
  ctl: Ctl,
  projectClientId: string,
  { from, last, limit }: { readonly from: number; readonly last: number; readonly limit: number },
): Promise<Read[]> {
  const found: Read[] = [];
  if (from >= last) return found;
  for await (const { position, event } of stream(ctl, { projectClientId, afterPosition: BigInt(from) })) {
    if (event !== undefined) found.push({ position: Number(position), event });
    if (found.length === limit || Number(position) >= last) break;
  }
  return found;
}

async function* stream(ctl: Ctl, request: { readonly projectClientId: string; readonly afterPosition?: bigint }) {
  const ended = new AbortController();
  try {
    const consumer = ctl.consumerConnection().service(DomainEventConsumerService);
    yield* consumer.readEvents(
      { ...request, types: [] },
      { ...ctl.call(request.projectClientId), signal: ended.signal },
    );
  } finally {
    ended.abort();
  }
}
