import { setTimeout as delay } from "node:timers/promises";
import { MongoClient } from "mongodb";
import type { Arrivals } from "./arrivals.ts";
import type { History, HistoryEntry } from "./history.ts";
import type { LoadClient, Platform } from "./platform.ts";

/** What a reconciliation found of one kind of thing. */
export type Verdict = {
  readonly kind: string;
  readonly asked: number;
  readonly acknowledged: number;
  readonly retried: number;
  /** Acknowledged ids that are not there. */
  readonly lost: readonly string[];
  /** Keys that made more than one thing. */
  readonly doubled: readonly string[];
  /** Final refusals, which this load never earns. */
  readonly refused: readonly string[];
  /** Further figures, for people. */
  readonly remarks: readonly string[];
};

/** Compares every acknowledged id with the stores and with what arrived outside. */
export async function reconcile(
  platform: Platform,
  clients: readonly LoadClient[],
  history: History,
  arrivals: Arrivals,
): Promise<Verdict[]> {
  const mongo = await MongoClient.connect(platform.stack.mongodbUri);
  try {
    return [
      await reconcileEvents(mongo, history),
      await reconcileAudits(platform, clients, history),
      await reconcileDeliveries(mongo, arrivals, history),
    ];
  } finally {
    await mongo.close();
  }
}

function verdict(
  kind: string,
  entries: readonly HistoryEntry[],
  lost: readonly string[],
  doubled: readonly string[],
  remarks: readonly string[],
): Verdict {
  const split = entries.filter((entry) => entry.ids.size > 1).map((entry) => entry.key);
  return {
    kind,
    asked: entries.length,
    acknowledged: entries.filter((entry) => entry.id !== null).length,
    retried: entries.filter((entry) => entry.attempts > 1).length,
    lost,
    doubled: [...new Set([...doubled, ...split])],
    refused: entries.flatMap((entry) => (entry.refusal === null ? [] : [`${entry.key} ${entry.refusal}`])),
    remarks,
  };
}

async function reconcileEvents(mongo: MongoClient, history: History): Promise<Verdict> {
  const entries = history.entries("event");
  const stored = new Map<string, string[]>();
  const positions = new Map<string, Set<number>>();
  const wanted = { idempotency_key: 1, project_client_id: 1, position: 1 };
  for await (const row of mongo.db("events").collection("domain_events").find({}, { projection: wanted })) {
    stored.set(row.idempotency_key, [...(stored.get(row.idempotency_key) ?? []), String(row._id)]);
    const ofClient = positions.get(row.project_client_id) ?? new Set<number>();
    if (row.position !== undefined && row.position !== null) ofClient.add(Number(row.position));
    positions.set(row.project_client_id, ofClient);
  }
  const lost = entries
    .filter((entry) => entry.id !== null && !stored.get(entry.key)?.includes(entry.id))
    .map(({ id }) => `${id}`);
  const doubled = [...stored].filter(([, ids]) => ids.length > 1).map(([key]) => key);
  const gaps = [...positions].filter(([, numbers]) => largest(numbers) !== numbers.size).map(([client]) => client);
  return verdict("event", entries, lost, doubled, [
    gaps.length === 0 ? "positions of every client are gap-free" : `GAPS in positions of ${gaps.join(", ")}`,
  ]);
}

function largest(numbers: ReadonlySet<number>): number {
  let found = 0;
  for (const number of numbers) if (number > found) found = number;
  return found;
}

async function reconcileAudits(platform: Platform, clients: readonly LoadClient[], history: History): Promise<Verdict> {
  const entries = history.entries("audit");
  const stored = new Map<string, string[]>();
  const remarks: string[] = [];
  for (const client of clients) {
    const rows = (await platform.ctl(["audits", "list", "--client", client.id])) as {
      id: string;
      resource_id: string;
    }[];
    for (const row of rows) stored.set(row.resource_id, [...(stored.get(row.resource_id) ?? []), row.id]);
    const chain = (await platform.ctl(["audits", "verify", "--client", client.id])) as {
      valid: boolean;
      length: number;
    };
    if (!chain.valid) remarks.push(`BROKEN CHAIN of ${client.id}: ${JSON.stringify(chain)}`);
  }
  if (remarks.length === 0) remarks.push("every hash chain verifies");
  const lost = entries
    .filter((entry) => entry.id !== null && !stored.get(entry.key)?.includes(entry.id))
    .map(({ id }) => `${id}`);
  const doubled = [...stored].filter(([, ids]) => ids.length > 1).map(([key]) => key);
  return verdict("audit", entries, lost, doubled, remarks);
}

async function reconcileDeliveries(mongo: MongoClient, arrivals: Arrivals, history: History): Promise<Verdict> {
  const entries = history.entries("delivery");
  const acknowledged = entries.filter((entry) => entry.id !== null);
  // What is queued leaves by retries that back off; they get the time those may take.
  const until = Date.now() + 180_000;
  const arrived = arrivals.messageIds;
  for (;;) {
    await arrivals.poll();
    if (acknowledged.every((entry) => arrived.has(entry.key)) || Date.now() > until) break;
    await delay(1_000);
  }
  const lost = acknowledged.filter((entry) => !arrived.has(entry.key)).map(({ id }) => `${id}`);
  const repeats = [...arrived.values()].filter((messageIds) => messageIds.length > 1);
  // A repeat after a crash carries the same Message-ID; another one means that a second delivery was made.
  const doubled = [...arrived].filter(([, messageIds]) => new Set(messageIds).size > 1).map(([key]) => key);
  const open = await mongo
    .db("notify")
    .collection("deliveries")
    .countDocuments({ status: { $in: ["pending", "sending"] } });
  return verdict("delivery", entries, lost, doubled, [
    `${repeats.length} repeated after a crash, each with its first Message-ID`,
    `${open} still open`,
  ]);
}
