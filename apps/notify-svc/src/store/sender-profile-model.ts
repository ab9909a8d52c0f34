import { indexOutbox, type OutboxFields, outboxSchema } from "@platform/kit/store/documents";
import { type FailingFields, failingSchema, indexFailing } from "@platform/operator-plane/platform-events";
import { type Connection, type Model, Schema } from "mongoose";
import type { Channel } from "../domain/channel.ts";
import type { SenderProfile, SenderProfileStatus } from "../domain/sender-profile.ts";

/** A stored sender profile. */
export type SenderProfileRecord = OutboxFields &
  FailingFields & {
    _id: string;
    project_client_id: string;
    channel: Channel;
    name: string;
    default_locale: string | null;
    verification: boolean;
    /** Absent from profiles stored before they could be disabled. */
    status?: SenderProfileStatus;
    /** Absent from profiles stored before they could be changed. */
    revision?: number;
    /** The complete configuration as JSON, encrypted. */
    config_sealed: string;
    /** The previous configuration, encrypted. Present only while the overlap lasts. */
    previous_sealed?: string;
    previous_until?: Date;
    /** Time at which the configuration was last replaced. */
    updated_at?: Date;
    /** Time of the last change of any kind, by which workers find changed profiles. */
    changed_at?: Date;
    created_at: Date;
  };

const schema = new Schema<SenderProfileRecord>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    channel: String,
    name: String,
    default_locale: String,
    verification: Boolean,
    status: String,
    revision: Number,
    config_sealed: String,
    previous_sealed: String,
    previous_until: Date,
    updated_at: Date,
    changed_at: Date,
    created_at: Date,
    ...outboxSchema,
    ...failingSchema,
  },
  { collection: "sender_profiles", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, channel: 1, created_at: 1 });
schema.index({ status: 1 }, { partialFilterExpression: { status: "disabled" } });
schema.index({ changed_at: 1 }, { sparse: true });
schema.index({ previous_until: 1 }, { sparse: true });
indexOutbox(schema);
indexFailing(schema);

export function senderProfileModel(connection: Connection): Model<SenderProfileRecord> {
  return connection.model<SenderProfileRecord>("SenderProfile", schema);
}

export function toSenderProfile(record: Omit<SenderProfileRecord, "config_sealed" | "previous_sealed">): SenderProfile {
  return {
    id: record._id,
    projectClientId: record.project_client_id,
    channel: record.channel,
    name: record.name,
    defaultLocale: record.default_locale,
    verification: record.verification,
    status: record.status ?? "active",
    revision: record.revision ?? 1,
    createdAt: record.created_at,
    updatedAt: record.updated_at ?? null,
    previousUntil: record.previous_until ?? null,
  };
}
