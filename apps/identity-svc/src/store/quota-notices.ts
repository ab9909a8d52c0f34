import {
  addOnce,
  collectionOf,
  indexOutbox,
  insertOrFind,
  type OutboxFields,
  outboxAfter,
  outboxSchema,
  withFact,
} from "@platform/kit/store/documents";
import type { PlatformFact } from "@platform/operator-plane/platform-events";
import { type Connection, type Model, Schema } from "mongoose";

/**
 * Records which thresholds of quotas were reported: for a quota with a window once in each window, for a gauge quota
 * until it falls below the threshold.
 */
type QuotaNoticeDocument = OutboxFields & {
  _id: string;
  project_client_id: string;
  /** For a window: its start. An index deletes the notice some time later. */
  at?: Date;
  /** For a gauge quota: its name, and the thresholds in percent that were reported since it was last below them. */
  level?: string;
  crossed?: number[];
};

const keptSeconds = 60 * 24 * 60 * 60;

const schema = new Schema<QuotaNoticeDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    at: Date,
    level: String,
    crossed: { type: [Number], default: undefined },
    ...outboxSchema,
  },
  { strict: "throw", versionKey: false, collection: "quota_notices" },
);
schema.index({ at: 1 }, { expireAfterSeconds: keptSeconds });
schema.index({ project_client_id: 1, level: 1 });
indexOutbox(schema);

const levelId = (clientId: string, level: string): string => `${clientId}:level:${level}`;

export type QuotaNoticeStore = {
  /**
   * Reports a threshold once for the key of a fact, and puts the fact into the outbox. @returns whether it is the first
   * time
   */
  tell(clientId: string, fact: PlatformFact): Promise<boolean>;
  /** The thresholds that a client's gauge quotas currently exceed. */
  crossedLevels(clientId: string): Promise<ReadonlyMap<string, ReadonlySet<number>>>;
  /**
   * Reports that a level crossed a threshold, by one write together with the fact. @returns false if it was already
   * reported
   */
  crossLevel(clientId: string, level: string, percent: number, fact: PlatformFact): Promise<boolean>;
  /** Records that a gauge quota is below a threshold again. */
  rearmLevel(clientId: string, level: string, percent: number): Promise<void>;
};

export function quotaNoticeModel(connection: Connection): Model<QuotaNoticeDocument> {
  return connection.model<QuotaNoticeDocument>("QuotaNotice", schema);
}

export function createQuotaNoticeStore(model: Model<QuotaNoticeDocument>): QuotaNoticeStore {
  return {
    tell: async (clientId, fact) => {
      const _id = `${clientId}:${fact.key}`;
      const document = { _id, project_client_id: clientId, at: fact.occurred_at, ...outboxAfter({}, fact) };
      const holder = await insertOrFind<QuotaNoticeDocument>(
        document,
        () => collectionOf(model).insertOne(document),
        async () => model.findOne({ _id }).lean<QuotaNoticeDocument | null>(),
      );
      return holder === null;
    },
    crossedLevels: async (clientId) => {
      const found = await model
        .find({ project_client_id: clientId, level: { $exists: true } })
        .lean<QuotaNoticeDocument[]>();
      return new Map(found.map(({ level = "", crossed = [] }) => [level, new Set(crossed)]));
    },
    crossLevel: (clientId, level, percent, fact) => {
      const update = { $addToSet: { crossed: percent }, $set: { project_client_id: clientId, level } };
      const fence = { crossed: { $ne: percent } };
      return addOnce(collectionOf(model), levelId(clientId, level), fence, withFact(update, fact));
    },
    rearmLevel: async (clientId, level, percent) => {
      await collectionOf(model).updateOne({ _id: levelId(clientId, level) }, { $pull: { crossed: percent } });
    },
  };
}
