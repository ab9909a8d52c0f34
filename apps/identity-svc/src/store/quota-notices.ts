import { insertOrFind } from "@platform/service-kit/mongo/insert-or-find";
import { indexOutbox, type OutboxFields, outboxAfter, outboxSchema } from "@platform/service-kit/mongo/outbox";
import type { PlatformFact } from "@platform/service-kit/platform-events/platform-facts";
import { type Connection, type Model, Schema } from "mongoose";

/** Marks that a client was notified of a quota's threshold in a window: once, by whichever process. */
type QuotaNoticeDocument = OutboxFields & { _id: string; project_client_id: string; at: Date };

const keptSeconds = 60 * 24 * 60 * 60;

const schema = new Schema<QuotaNoticeDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    at: { type: Date, required: true },
    ...outboxSchema,
  },
  { strict: "throw", versionKey: false, collection: "quota_notices" },
);
schema.index({ at: 1 }, { expireAfterSeconds: keptSeconds });
indexOutbox(schema);

export type QuotaNoticeStore = {
  /** Tells a client once for the key of the fact. */
  tell(clientId: string, fact: PlatformFact): Promise<void>;
};

export function quotaNoticeModel(connection: Connection): Model<QuotaNoticeDocument> {
  return connection.model<QuotaNoticeDocument>("QuotaNotice", schema);
}

export function createQuotaNoticeStore(model: Model<QuotaNoticeDocument>): QuotaNoticeStore {
  return {
    tell: async (clientId, fact) => {
      const _id = `${clientId}:${fact.key}`;
      const document = { _id, project_client_id: clientId, at: fact.occurred_at, ...outboxAfter({}, fact) };
      await insertOrFind<QuotaNoticeDocument>(
        document,
        () => model.collection.insertOne(document as never),
        async () => model.findOne({ _id }).lean<QuotaNoticeDocument | null>(),
      );
    },
  };
}
