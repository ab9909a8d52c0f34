import { defined } from "@platform/kit/process/fields";
import { type Keyring, open, seal } from "@platform/kit/process/secrets";
import { collectionOf, type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { CapturedContent, CapturedMessage } from "../domain/capture.ts";
import type { Channel } from "../domain/channel.ts";

type CapturedRecord = {
  /** The delivery's id. */
  _id: string;
  project_client_id: string;
  /** Absent from a test message of a sender profile. */
  endpoint_id?: string;
  channel: Channel;
  to_hint: string;
  created_at: Date;
  /** The contents as JSON, encrypted, because they include tokens and personal messages. */
  content_sealed: string;
};

const schema = new Schema<CapturedRecord>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    endpoint_id: String,
    channel: String,
    to_hint: String,
    created_at: Date,
    content_sealed: String,
  },
  { collection: "captured_messages", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, created_at: 1, _id: 1 });
schema.index({ created_at: 1 });
schema.index({ endpoint_id: 1 }, { sparse: true });

/** Purpose under which the contents of a captured message are encrypted. */
export const purposeOf = (id: string): string => `captured-message:${id}`;

export const capturedMessageModel = (connection: Connection) =>
  connection.model<CapturedRecord>("CapturedMessage", schema);

/** Messages that were captured instead of being sent to a provider. */
export function createCapturedMessageStore(connection: Connection, keyring: Keyring) {
  const model = capturedMessageModel(connection);
  return {
    /** Stores a message. A repeated attempt replaces the message that an earlier one stored. */
    keep: async (message: CapturedMessage, content: CapturedContent): Promise<void> => {
      const { deliveryId, projectClientId, endpointId, channel, toHint, at } = message;
      const record = {
        project_client_id: projectClientId,
        ...defined({ endpoint_id: endpointId }),
        channel,
        to_hint: toHint,
        created_at: at,
        content_sealed: seal(keyring, purposeOf(deliveryId), JSON.stringify(content)),
      };
      await collectionOf(model).replaceOne({ _id: deliveryId }, record, { upsert: true });
    },
    /** A page of a client's messages, newest first. */
    list: async (projectClientId: string, request: PageRequest): Promise<Page<CapturedMessage>> => {
      const filter = { project_client_id: projectClientId };
      const { items, nextCursor } = await readPage<CapturedRecord>(model, filter, request, {
        projection: { content_sealed: 0 },
      });
      return { items: items.map(toMessage), nextCursor };
    },
    /** A message with its contents, or null. */
    find: async (deliveryId: string): Promise<{ message: CapturedMessage; content: CapturedContent } | null> => {
      const record = await model.findById(deliveryId).lean<CapturedRecord | null>();
      if (record === null) return null;
      const content = JSON.parse(open(keyring, purposeOf(deliveryId), record.content_sealed)) as CapturedContent;
      return { message: toMessage(record), content };
    },
    removeOlderThan: async (time: Date): Promise<void> => {
      await collectionOf(model).deleteMany({ created_at: { $lt: time } });
    },
  };
}

const toMessage = (record: Omit<CapturedRecord, "content_sealed">): CapturedMessage => ({
  deliveryId: record._id,
  projectClientId: record.project_client_id,
  endpointId: record.endpoint_id ?? null,
  channel: record.channel,
  toHint: record.to_hint,
  at: record.created_at,
});
