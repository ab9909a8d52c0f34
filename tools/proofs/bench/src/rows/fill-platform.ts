import { randomUUID } from "node:crypto";
import { present } from "../checkout/version.ts";
import type { FillLoad } from "../load/fill-load.ts";
import { type Platform, startPlatform } from "../platform.ts";
import type { Bench } from "../row.ts";
import { eventBody } from "./contenders.ts";
import { prepareDeliveries } from "./deliveries.ts";

/** A platform in one process with the given number of Domain Events, deliveries and Project Clients. */
export type FilledPlatform = {
  readonly platform: Platform;
  readonly clients: number;
  readonly documents: number;
  /** The email deliveries that it requests, and the sink where they arrive. */
  readonly deliveries: Awaited<ReturnType<typeof prepareDeliveries>>;
  readonly sink: string;
};

/** One in a hundred deliveries has failed, and one in ten waits in the index from which workers claim. */
const failed = { status: "failed", provider_status: "rejected", last_error_code: "smtp_550" };
const nextYear = new Date(Date.now() + 365 * 86_400_000);
const waiting = { status: "pending", due_at: nextYear };

/**
 * Starts a platform with a console, and fills its stores with copies of documents that it has written. It is stopped at
 * the end of the row.
 * @param prefix prefix of its databases, because platforms share the server if MONGODB_URI is set
 */
export async function startFilledPlatform(
  bench: Bench,
  { clients, documents, prefix }: { readonly clients: number; readonly documents: number; readonly prefix: string },
): Promise<FilledPlatform> {
  console.log(`    filling a platform: ${documents} events and deliveries of ${clients} clients`);
  const settings = { MONGODB_DATABASE_PREFIX: `bench_${prefix}_` };
  const platform = await startPlatform(present, settings, { processes: "one", hasConsole: true });
  bench.defer(platform.stop);
  const { stack, projectClientId, request } = platform;
  const sink = stack.settings.SINK_URL ?? "";
  const deliveries = await prepareDeliveries(platform, "email");
  // Documents to copy: an event that has a position, and a sent delivery.
  await request("POST", "/domain-events", JSON.parse(eventBody));
  await bench.generator.run("http", deliveries.loadOf(1));
  const owners = [projectClientId, ...Array.from({ length: clients - 1 }, () => randomUUID())];
  const fill = (
    service: string,
    collection: string,
    load: Pick<FillLoad, "original" | "count" | "ids" | "owners" | "variants">,
  ) => bench.generator.run("fill", { uri: stack.mongodbUri, database: stack.databaseOf(service), collection, ...load });
  await fill("identity", "project_clients", { original: {}, count: clients - 1, ids: owners.slice(1) });
  await fill("events", "domain_events", { original: { position: { $exists: true } }, count: documents, owners });
  await fill("notify", "deliveries", {
    original: { status: "sent" },
    count: documents,
    owners,
    variants: [
      { every: 10, fields: waiting },
      { every: 100, fields: failed },
    ],
  });
  return { platform, clients, documents, deliveries, sink };
}
