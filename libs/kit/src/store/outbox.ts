import type { mongo } from "mongoose";
import { collectionOf, type StoredDocument } from "./collection-of.ts";
import { mixed } from "./mixed.ts";

/** A platform event in the outbox of its document, until events-svc has stored it. */
export type PlatformFact = {
  /** `<resource>:<id>:<state>`. A fact is published once for each key. */
  readonly key: string;
  /** `platform.<resource>.<state>` */
  readonly type: string;
  /** JSON with ids and states; never personal data. */
  readonly data_json: string;
  readonly occurred_at: Date;
  /** Client to whose log the event is published; by default the client of the document. */
  readonly client_id?: string;
  /** Recipients of the fact other than the log. If absent, the fact is published only in the log. */
  readonly audience?: "contacts" | "log_and_contacts";
};

/** Fields of a document that carries platform events until they are published. */
export type OutboxFields = {
  platform_events?: readonly PlatformFact[];
  /** Time at which the events are due for publication; absent if there are none. */
  platform_events_due_at?: Date;
};

/** Schema fields of a document with an outbox. */
export const outboxSchema = {
  platform_events: { type: [mixed], default: undefined },
  platform_events_due_at: Date,
} as const;

/** Adds the index that the outbox relay uses. It contains only documents with unpublished events. */
export function indexOutbox(schema: { index(fields: object, options: object): unknown }): void {
  schema.index({ platform_events_due_at: 1 }, { sparse: true });
}

/**
 * Maximum number of events in one document, which must stay small. If a resource changes more often than this while
 * events-svc is unavailable, only its newest states are kept.
 */
export const outboxFactsMax = 500;

type Update = { readonly $set?: object; readonly $push?: object; readonly [operator: string]: unknown };

/**
 * Returns an update that also adds a platform event to the outbox, so that one write stores both state and event. A
 * null fact leaves the update unchanged.
 */
export function withFact<const U extends Update>(update: U, fact: PlatformFact | null): U {
  if (fact === null) return update;
  return {
    ...update,
    $set: { ...update.$set, platform_events_due_at: fact.occurred_at },
    $push: { ...update.$push, platform_events: { $each: [fact], $slice: -outboxFactsMax } },
  };
}

/** Returns the outbox fields for the replacement of a document: its unpublished events and the new one. */
export function outboxAfter(before: OutboxFields, fact: PlatformFact | null): OutboxFields {
  const events = [...(before.platform_events ?? []), ...(fact === null ? [] : [fact])].slice(-outboxFactsMax);
  const [first] = events;
  if (first === undefined) return {};
  return { platform_events: events, platform_events_due_at: first.occurred_at };
}

/** Unpublished events of a document. */
export type OutboxEntry = {
  readonly id: string;
  readonly clientId: string;
  readonly facts: readonly PlatformFact[];
};

/** The outboxes of a collection. */
export type Outbox = {
  /** Finds the events that have waited longest. */
  findDue(now: Date, limit: number): Promise<OutboxEntry[]>;
  /** Removes published events and keeps the later ones. */
  remove(entries: readonly OutboxEntry[]): Promise<void>;
  /** Postpones the events of a document, unless another event was added in the meantime. */
  putOff(entry: OutboxEntry, dueAt: Date): Promise<void>;
  /** Returns the time of the oldest unpublished event, including postponed ones; null if there is none. */
  oldestAt(): Promise<Date | null>;
};

/** Number of documents that are read to find the oldest event. */
const oldestOf = 100;

export function createOutbox(model: { readonly collection: object }): Outbox {
  const collection = collectionOf(model);
  return {
    findDue: async (now, limit) => {
      const found = (await collection
        .find(
          { platform_events_due_at: { $lte: now } },
          {
            projection: { project_client_id: 1, platform_events: 1 },
            sort: { platform_events_due_at: 1 },
            limit,
            batchSize: limit + 1,
          },
        )
        .toArray()) as (OutboxFields & { _id: unknown; project_client_id: string })[];
      return found.map(({ _id, project_client_id, platform_events = [] }) => ({
        id: String(_id),
        clientId: project_client_id,
        facts: platform_events,
      }));
    },
    remove: async (entries) => {
      if (entries.length === 0) return;
      await collection.bulkWrite(
        entries.flatMap(({ id, facts }) => [
          {
            updateOne: {
              filter: { _id: id },
              update: { $pull: { platform_events: { key: { $in: facts.map(({ key }) => key) } } } },
            },
          },
          {
            updateOne: {
              filter: { _id: id, platform_events: { $size: 0 } },
              update: { $unset: { platform_events: "", platform_events_due_at: "" } },
            },
          },
        ]) as mongo.AnyBulkWriteOperation<StoredDocument>[],
      );
    },
    putOff: async ({ id, facts }, dueAt) => {
      // If there are still as many events and the last one is the same, no event was added since the publication was
      // rejected. The number alone does not tell, because a full outbox drops its first event when one is added.
      const last = { [`platform_events.${facts.length - 1}.key`]: facts.at(-1)?.key };
      await collection.updateOne(
        { _id: id, platform_events: { $size: facts.length }, ...last },
        { $set: { platform_events_due_at: dueAt } },
      );
    },
    oldestAt: async () => {
      const found = (await collection
        .find(
          { platform_events_due_at: { $gt: new Date(0) } },
          {
            projection: { "platform_events.occurred_at": 1 },
            sort: { platform_events_due_at: 1 },
            limit: oldestOf,
            batchSize: oldestOf + 1,
          },
        )
        .toArray()) as unknown as Pick<Required<OutboxFields>, "platform_events">[];
      const times = found.flatMap(({ platform_events = [] }) => platform_events.map(({ occurred_at }) => +occurred_at));
      return times.length === 0 ? null : new Date(times.reduce((one, other) => Math.min(one, other)));
    },
  };
}
