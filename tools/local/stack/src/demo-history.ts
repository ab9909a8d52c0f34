import { randomBytes, randomUUID } from "node:crypto";
import { type Document, MongoBulkWriteError, MongoClient } from "mongodb";
import { v7 } from "uuid";
import { demoRecords } from "./demo-records.ts";

/** Days of history. Identity migrations older than this would be due for deletion. */
const days = 29;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** MongoDB's error code for a duplicate key. */
const duplicateKey = 11000;

export type DemoHistoryOptions = {
  readonly mongodbUri: string;
  readonly databaseOf: (service: string) => string;
  readonly clientId: string;
  readonly campaignId: string;
  readonly now: Date;
};

type Copy = { readonly at: Date; readonly index: number };

/**
 * Creates a history for the demo project: the documents of its first requests are copied with earlier times, and its
 * usage is counted for each hour. This is done once: a project with usage older than a day is left alone. The results
 * of an interrupted start are kept.
 * @returns the number of created documents
 */
export async function makeDemoHistory(options: DemoHistoryOptions): Promise<number> {
  const { mongodbUri, databaseOf, clientId, now } = options;
  const client = await MongoClient.connect(mongodbUri);
  try {
    const collection = (service: string, name: string) => client.db(databaseOf(service)).collection<Document>(name);
    const insert = async (service: string, name: string, documents: readonly Document[]): Promise<number> => {
      if (documents.length === 0) return 0;
      try {
        return (await collection(service, name).insertMany([...documents], { ordered: false })).insertedCount;
      } catch (error) {
        if (error instanceof MongoBulkWriteError && error.code === duplicateKey) return error.insertedCount;
        throw error;
      }
    };
    const latest = (service: string, name: string, filter: Document = {}): Promise<Document | null> =>
      collection(service, name).findOne({ project_client_id: clientId, ...filter }, { sort: { _id: -1 } });

    const hours = hoursBefore(now);
    // The sums over all clients are those of the demo project, because no other project has a history.
    const usage = hours.flatMap((at, index) => ["", clientId].flatMap((id) => usageOfHour(id, at, index)));
    const old = { project_client_id: clientId, hour: { $lt: new Date(now.getTime() - dayMs) } };
    if ((await collection("identity", "usage_counts").findOne(old)) !== null) return 0;

    const delivery = await latest("notify", "deliveries", { status: "sent" });
    const endpoint = await latest("notify", "delivery_endpoints", { channel: "email", status: "verified" });
    const transaction = await latest("identity", "identity_migration_transactions");
    const operation = await latest("events", "scheduled_operations");
    const made = [
      await insert("notify", "deliveries", copies(delivery, hours, deliveryAt)),
      await insert("notify", "delivery_endpoints", copies(endpoint, everyNth(hours, 4), endpointAt)),
      await insert(
        "identity",
        "identity_migration_transactions",
        copies(transaction, everyNth(hours, 5), transactionAt),
      ),
      await insert("events", "scheduled_runs", copies(operation, hours, runAt)),
      await insert("ads", "campaign_reports", campaignDays(options.campaignId, now)),
      await insert("ads", "campaign_refusals", refusalDays(options.campaignId, now)),
    ];
    for (const { service, collection: name, documents } of demoRecords(clientId, hours, now)) {
      made.push(await insert(service, name, documents));
    }
    // The usage is written last, because the next start finds by it that the history exists. Hours that already have usage keep it.
    const { upsertedCount } = await collection("identity", "usage_counts").bulkWrite(
      usage.map(({ _id, ...fields }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
      })),
    );
    return made.reduce((sum, count) => sum + count, upsertedCount);
  } finally {
    await client.close();
  }
}

/** Returns the full hours before the current one, oldest first. */
function hoursBefore(now: Date): Date[] {
  const present = Math.floor(now.getTime() / hourMs) * hourMs;
  return Array.from({ length: days * 24 }, (_, index) => new Date(present - (days * 24 - index) * hourMs));
}

function everyNth<T>(all: readonly T[], n: number): T[] {
  return all.filter((_, index) => index % n === 0);
}

function copies(
  from: Document | null,
  times: readonly Date[],
  copy: (from: Document, to: Copy) => Document,
): Document[] {
  return from === null ? [] : times.map((at, index) => copy(from, { at, index }));
}

/** Copies a document with all its times moved back by the same amount, and with a new id that has the earlier time. */
function movedTo(from: Document, at: Date): Document {
  const byMs = at.getTime() - (from.created_at as Date).getTime();
  return { ...(moved(from, byMs) as Document), _id: idAt(at) };
}

function moved(value: unknown, byMs: number): unknown {
  if (value instanceof Date) return new Date(value.getTime() + byMs);
  if (Array.isArray(value)) return value.map((item) => moved(item, byMs));
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, moved(item, byMs)]));
}

function idAt(at: Date): string {
  return v7({ msecs: at.getTime() });
}

function deliveryAt(from: Document, { at, index }: Copy): Document {
  const fields = { ...movedTo(from, at), intent_id: idAt(at), idempotency_key: `email:${randomUUID()}` };
  if (index % 17 !== 5) return fields;
  const [attempt] = (fields as Document).attempt_log as Document[];
  return {
    ...fields,
    status: "failed",
    provider_status: "rejected",
    last_error_code: "550",
    attempt_log: [{ ...attempt, provider_status: "rejected", error_code: "550" }],
  };
}

function endpointAt(from: Document, { at, index }: Copy): Document {
  const fields = {
    ...movedTo(from, at),
    address: `person-${index}@example.com`,
    address_hash: randomBytes(32).toString("hex"),
  };
  if (index % 9 !== 4) return fields;
  const revoked = {
    at: new Date(at.getTime() + hourMs),
    what: "revoked",
    by: "operator",
    detail: "revoked_by_operator",
  };
  const history = [...(((fields as Document).history ?? []) as Document[]), revoked];
  return { ...fields, status: "revoked", verified_at: null, last_error_code: "revoked_by_operator", history };
}

function transactionAt(from: Document, { at, index }: Copy): Document {
  const fields = {
    ...movedTo(from, at),
    legacy_subject: `legacy-${randomUUID()}`,
    flow_token_sha256: randomBytes(32).toString("hex"),
    idempotency_key: randomUUID(),
    correlation_id: randomUUID(),
  };
  if (index % 3 === 0) return fields;
  const linkedAt = new Date(at.getTime() + 5 * 60_000);
  const completedAt = new Date(at.getTime() + 9 * 60_000);
  return {
    ...fields,
    state: "completed",
    account_id: idAt(at),
    linked_at: linkedAt,
    completed_at: completedAt,
    purge_at: null,
  };
}

/** Creates a run of an operation's schedule. */
function runAt(operation: Document, { at, index }: Copy): Document {
  const isFailed = index % 13 === 7;
  const attempt = (afterMs: number) => ({
    at: new Date(at.getTime() + afterMs),
    status_code: isFailed ? 503 : 204,
    error: isFailed ? "status 503" : null,
    response: null,
  });
  const attempts = isFailed ? [attempt(300), attempt(6_000), attempt(20_000)] : [attempt(300)];
  return {
    _id: idAt(at),
    project_client_id: operation.project_client_id,
    operation_id: operation._id,
    scheduled_for: at,
    due_at: at,
    state: isFailed ? "failed" : "succeeded",
    attempts,
    attempt_count: attempts.length,
    tries_made: attempts.length,
    tries_left: 0,
  };
}

/** Returns the number of requests in an hour: more by day than by night, and more on working days. */
function load(at: Date): number {
  const byHour = 1 + Math.sin(((at.getUTCHours() - 8) / 24) * 2 * Math.PI);
  const isWeekend = at.getUTCDay() % 6 === 0;
  return (0.3 + byHour) * (isWeekend ? 0.5 : 1);
}

const perHour: Readonly<Record<string, number>> = {
  requests: 900,
  api_traffic: 880,
  deliveries: 140,
  events: 420,
  scheduled_invocations: 12,
  storage_bytes: 3_000_000,
  audit_retention: 60,
  refused_validation: 14,
  refused_operation: 9,
  refused_quota: 3,
  refused_access: 1,
};

function usageOfHour(clientId: string, hour: Date, index: number): Document[] {
  return Object.entries(perHour).map(([kind, most]) => ({
    _id: `${clientId} ${kind} ${hour.toISOString()}`,
    project_client_id: clientId,
    kind,
    hour,
    count: Math.round(most * load(hour) * (1 + (index % 7) / 20)),
    reports: {},
  }));
}

/** Creates the campaign's report for the days before its first real impression. */
function campaignDays(campaignId: string, now: Date): Document[] {
  return Array.from({ length: days }, (_, index) => {
    const key = new Date(now.getTime() - (days - index) * dayMs).toISOString().slice(0, 10);
    const impressions = 800 + 40 * (index % 7);
    return {
      _id: `${campaignId} day ${key}`,
      campaign_id: campaignId,
      by: "day",
      key,
      impressions,
      charged_minor: Math.floor(impressions / 4),
      refused: 11 + (index % 5),
      through_ordinal: 0,
    };
  });
}

/**
 * Creates rejected impressions by reason: most were visible too briefly, and on one day a page reported each impression twice.
 */
function refusalDays(campaignId: string, now: Date): Document[] {
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(Math.floor(now.getTime() / dayMs) * dayMs - (days - index) * dayMs);
    return {
      _id: `${campaignId} ${day.toISOString().slice(0, 10)}`,
      campaign_id: campaignId,
      day,
      counts: {
        below_threshold: 60 + 7 * (index % 6),
        token_expired: 9 + (index % 4),
        repeated: index === 19 ? 140 : 5 + (index % 3),
        ...(index % 8 === 3 ? { impossible_duration: 12 } : {}),
      },
      reports: {},
    };
  });
}
