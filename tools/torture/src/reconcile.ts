import { setTimeout as delay } from "node:timers/promises";
import { type Collection, type Db, MongoClient } from "mongodb";
import type { Arrivals } from "./arrivals.ts";
import { createSequence, found, type History, type HistoryKind } from "./history.ts";
import type { OverloadResult } from "./overload.ts";
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

/** Compares every acknowledged id with the stores and with what arrived outside. Stores are read as streams: nothing is held twice. */
export async function reconcile(
  platform: Platform,
  clients: readonly LoadClient[],
  history: History,
  arrivals: Arrivals,
  overloads: readonly OverloadResult[],
): Promise<Verdict[]> {
  const mongo = await MongoClient.connect(platform.stack.mongodbUri);
  try {
    return [
      await reconcileEvents(mongo.db(platform.stack.databaseOf("events")), history, overloads),
      await reconcileAudits(platform, clients, history),
      await reconcileDeliveries(mongo.db(platform.stack.databaseOf("notify")), arrivals, history),
    ];
  } finally {
    await mongo.close();
  }
}

function verdict(
  kind: HistoryKind,
  history: History,
  lost: readonly string[],
  doubled: readonly string[],
  remarks: readonly string[],
): Verdict {
  const counts = { acknowledged: 0, retried: 0 };
  const split: string[] = [];
  const refused: string[] = [];
  const entries = history.entries(kind);
  for (const { key, id, otherId, attempts, refusal } of entries.values()) {
    if (id !== null) counts.acknowledged += 1;
    if (attempts > 1) counts.retried += 1;
    if (otherId !== null) split.push(key);
    if (refusal !== null) refused.push(`${key} ${refusal}`);
  }
  const allDoubled = [...new Set([...doubled, ...split])];
  return { kind, asked: entries.size, ...counts, lost, doubled: allDoubled, refused, remarks };
}

/** Acknowledged ids that the store does not have, and keys it has more than once. */
function compared(history: History, kind: HistoryKind): { lost: string[]; doubled: string[] } {
  const lost: string[] = [];
  const doubled: string[] = [];
  for (const entry of history.entries(kind).values()) {
    if (entry.id !== null && entry.storedId !== entry.id) lost.push(entry.id);
    if (entry.isDoubled) doubled.push(entry.key);
  }
  return { lost, doubled };
}

async function reconcileEvents(database: Db, history: History, overloads: readonly OverloadResult[]): Promise<Verdict> {
  const entries = history.entries("event");
  const events = database.collection("domain_events");
  const backlog = await numbered(events);
  const positions = new Map<string, ReturnType<typeof createSequence>>();
  const ofOverloads = overloads.map(() => 0);
  let unnumbered = 0;
  const projection = { idempotency_key: 1, project_client_id: 1, position: 1 };
  const rows = events.find({}, { projection, batchSize: 5_000 });
  for await (const row of rows) {
    const entry = entries.get(row.idempotency_key);
    if (entry !== undefined) found(entry, String(row._id));
    else {
      const at = overloads.findIndex(({ keyPrefix }) => row.idempotency_key.startsWith(keyPrefix));
      if (at >= 0) ofOverloads[at] = (ofOverloads[at] ?? 0) + 1;
    }
    let sequence = positions.get(row.project_client_id);
    if (sequence === undefined) {
      sequence = createSequence();
      positions.set(row.project_client_id, sequence);
    }
    if (row.position === undefined || row.position === null) unnumbered += 1;
    else sequence.add(Number(row.position));
  }
  const { lost, doubled } = compared(history, "event");
  const gaps = [...positions].filter(([, sequence]) => !sequence.isWhole()).map(([client]) => client);
  const remarks = [
    gaps.length === 0 ? "positions of every client are gap-free" : `GAPS in positions of ${gaps.join(", ")}`,
    unnumbered === 0
      ? `all of them numbered; the last ${backlog.count} within ${Math.round(backlog.ms / 1_000)} s after the load had ended`
      : `NOT NUMBERED after ten minutes: ${unnumbered}`,
  ];
  // Each by itself: what one stored without its answer having arrived must not make up for what another lost.
  for (const [at, { acknowledged }] of overloads.entries()) {
    const missing = acknowledged - (ofOverloads[at] ?? 0);
    remarks.push(
      missing > 0
        ? `LOST under overload: ${missing} of ${acknowledged}`
        : `${acknowledged} more acknowledged under overload, all stored`,
    );
  }
  return verdict("event", history, lost, doubled, remarks);
}

/** Numbering may be behind when the load ends, never for good. Events that stay without a position are told of as such. */
const numberingMsMax = 10 * 60_000;

/** Waits until every event has its position; says how many had none at first. */
async function numbered(events: Collection): Promise<{ count: number; ms: number }> {
  const startedAtMs = Date.now();
  // Sorted as their index has them, which a count would not use.
  const unnumbered = { projection: { _id: 1 }, sort: { inserted: 1, _id: 1 } } as const;
  const behind = async () => (await events.find({ unnumbered: true }, unnumbered).toArray()).length;
  const count = await behind();
  for (let left = count; left > 0 && Date.now() - startedAtMs < numberingMsMax; left = await behind()) await delay(500);
  return { count, ms: Date.now() - startedAtMs };
}

async function reconcileAudits(platform: Platform, clients: readonly LoadClient[], history: History): Promise<Verdict> {
  const entries = history.entries("audit");
  const remarks: string[] = [];
  for (const client of clients) {
    const rows = (await platform.ctl(["audits", "list", "--client", client.id])) as {
      id: string;
      resource_id: string;
    }[];
    for (const row of rows) {
      const entry = entries.get(row.resource_id);
      if (entry !== undefined) found(entry, row.id);
    }
    const chain = (await platform.ctl(["audits", "verify", "--client", client.id])) as {
      valid: boolean;
      length: number;
    };
    if (!chain.valid) remarks.push(`BROKEN CHAIN of ${client.id}: ${JSON.stringify(chain)}`);
  }
  if (remarks.length === 0) remarks.push("every hash chain verifies");
  const { lost, doubled } = compared(history, "audit");
  return verdict("audit", history, lost, doubled, remarks);
}

async function reconcileDeliveries(database: Db, arrivals: Arrivals, history: History): Promise<Verdict> {
  const acknowledged = [...history.entries("delivery").values()].filter((entry) => entry.id !== null);
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
  const open = await database.collection("deliveries").countDocuments({ status: { $in: ["pending", "sending"] } });
  return verdict("delivery", history, lost, doubled, [
    `${repeats.length} repeated after a crash, each with its first Message-ID`,
    `${open} still open`,
  ]);
}
