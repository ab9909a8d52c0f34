import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Collection } from "mongodb";
import { type Domain, type DomainKind, type Stores, type Verdict, verdictOn, type World } from "../domain.ts";
import { acknowledge, begin, createSequence, type Entries, found } from "../entry.ts";
import type { OverloadResult } from "../overload.ts";

/** Domain Events: each acknowledged event must be stored once, and the positions of every client must have no gap. */
export const events: DomainKind = eventsWith("events", 1_000, (key) => ({ key }));

/** Further events whose data has another form. */
export function eventsWith(name: string, perSecond: number, dataOf: (key: string) => object): DomainKind {
  return { name, perSecond, create: (world) => createEvents(world, name, dataOf) };
}

async function createEvents(
  { ask, nextClient }: World,
  name: string,
  dataOf: (key: string) => object,
): Promise<Domain> {
  const entries: Entries = new Map();
  return {
    load: async () => {
      const client = nextClient();
      const entry = begin(entries, client.id, randomUUID());
      const { data, refusal } = await ask.untilAnswered(entry, {
        path: "/domain-events",
        credential: client.credential,
        idempotencyKey: entry.key,
        body: { type: "load.happened", schema_version: 1, data: dataOf(entry.key) },
      });
      if (data !== null) acknowledge(entry, String(data.id));
      entry.refusal = refusal;
    },
    reconcile: (stores, overloads) => reconcile(name, stores, entries, overloads),
  };
}

async function reconcile(
  name: string,
  stores: Stores,
  entries: Entries,
  overloads: readonly OverloadResult[],
): Promise<Verdict> {
  const stored = stores("events").collection("domain_events");
  const backlog = await numbered(stored);
  const positions = new Map<string, ReturnType<typeof createSequence>>();
  const ofOverloads = overloads.map(() => 0);
  let unnumbered = 0;
  const projection = { idempotency_key: 1, project_client_id: 1, position: 1 };
  for await (const row of stored.find({}, { projection, batchSize: 5_000 })) {
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
  const gaps = [...positions].filter(([, sequence]) => !sequence.isWhole()).map(([client]) => client);
  const remarks = [
    gaps.length === 0 ? "positions of every client are gap-free" : `GAPS in positions of ${gaps.join(", ")}`,
    unnumbered === 0
      ? `all numbered; the last ${backlog.count} within ${Math.round(backlog.ms / 1_000)} s after the load had ended`
      : `NOT NUMBERED after ten minutes: ${unnumbered}`,
  ];
  // Keys are compared one by one, because an event that was stored without a response must not hide a lost one.
  for (const [at, { acknowledged }] of overloads.entries()) {
    const missing = acknowledged - (ofOverloads[at] ?? 0);
    remarks.push(
      missing > 0
        ? `LOST under overload: ${missing} of ${acknowledged}`
        : `${acknowledged} more acknowledged under overload, all stored`,
    );
  }
  return verdictOn(name, entries, remarks);
}

/**
 * Events receive their positions later, possibly after the load has ended, but none may stay without one. Such events
 * are reported.
 */
const numberingMsMax = 10 * 60_000;

/** Waits until every event has its position. Returns how many had none at first. */
async function numbered(stored: Collection): Promise<{ count: number; ms: number }> {
  const startedAtMs = performance.now();
  // Sorted in the order of the index, because a count would not use the index.
  const unnumbered = { projection: { _id: 1 }, sort: { inserted: 1, _id: 1 } } as const;
  const behind = async () => (await stored.find({ unnumbered: true }, unnumbered).toArray()).length;
  const count = await behind();
  for (let left = count; left > 0 && performance.now() - startedAtMs < numberingMsMax; left = await behind())
    await delay(500);
  return { count, ms: performance.now() - startedAtMs };
}
