import { defined } from "@platform/kit/process/fields";
import { indexOutbox, type OutboxFields, outboxSchema } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";
import type { Channel } from "../domain/channel.ts";
import {
  type DeliveryEndpoint,
  type EndpointStatus,
  firstOwnership,
  type Resubscription,
  type Suppression,
  type SuppressionReason,
} from "../domain/endpoint.ts";
import type { EndpointEventRecord } from "./endpoint-history.ts";

/** A stored Delivery Endpoint. */
export type EndpointRecord = OutboxFields & {
  _id: string;
  project_client_id: string;
  environment: string;
  channel: Channel;
  address: string;
  address_hash: string;
  status: EndpointStatus;
  verification: {
    token_hash: string;
    generation: number;
    issued_at: Date;
    expires_at: Date;
    wrong_tries: number;
  } | null;
  /** Absent from endpoints that were stored before ownership generations were introduced. */
  ownership_generation?: number;
  verified_at: Date | null;
  granted_purposes: string[];
  withdrawn_purposes: string[];
  last_error_code: string | null;
  /** Present only while a verification push has to be queued, so that the index contains only such endpoints. */
  push_due_at?: Date;
  resubscription?: {
    purpose: string;
    sender_profile_id: string;
    locale: "en" | "ja";
    /** Absent once the link was used. */
    token_hash?: string;
    generation: number;
    requested_at: Date;
    expires_at: Date;
    count: number;
    counted_from: Date;
    /** Present only while an email is due. */
    mail_due_at?: Date;
    mail_tries: number;
  };
  /** `suppression` and `suppressed_at` are present only while the endpoint is suppressed. */
  suppression?: { reason: SuppressionReason; withdrew: string[] };
  suppressed_at?: Date;
  /** Absent from endpoints that have not changed since histories were recorded. */
  history?: EndpointEventRecord[];
  version: number;
  created_at: Date;
  updated_at: Date;
};

const schema = new Schema<EndpointRecord>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    environment: String,
    channel: String,
    address: String,
    address_hash: String,
    status: String,
    verification: { type: Schema.Types.Mixed },
    ownership_generation: Number,
    verified_at: Date,
    granted_purposes: [String],
    withdrawn_purposes: [String],
    last_error_code: String,
    push_due_at: Date,
    resubscription: { type: Schema.Types.Mixed },
    suppression: { type: Schema.Types.Mixed },
    suppressed_at: Date,
    history: { type: Schema.Types.Mixed },
    version: Number,
    created_at: Date,
    updated_at: Date,
    ...outboxSchema,
  },
  { collection: "delivery_endpoints", strict: "throw", versionKey: false },
);
// Ensures that an address of a client and channel has one endpoint, however many requests register it concurrently.
schema.index({ project_client_id: 1, channel: 1, address_hash: 1 }, { unique: true });
schema.index({ push_due_at: 1 }, { sparse: true });
// Index for the links with which people restore consent, and for the emails that contain them. Few endpoints have
// one.
schema.index({ "resubscription.token_hash": 1 }, { sparse: true });
schema.index({ "resubscription.mail_due_at": 1 }, { sparse: true });
// Index for operators' lists of suppressions, newest first.
schema.index(
  { project_client_id: 1, suppressed_at: 1, _id: 1 },
  { partialFilterExpression: { suppressed_at: { $gt: new Date(0) } } },
);
indexOutbox(schema);
// Index for finding an erased person's endpoints across clients.
schema.index({ address_hash: 1 });
// Index for operators' lists of endpoints, newest first.
schema.index({ project_client_id: 1, created_at: 1, _id: 1 });
schema.index({ project_client_id: 1, status: 1, created_at: 1, _id: 1 });
schema.index({ project_client_id: 1, channel: 1, created_at: 1, _id: 1 });

export function endpointModel(connection: Connection): Model<EndpointRecord> {
  return connection.model<EndpointRecord>("DeliveryEndpoint", schema);
}

export function toEndpoint(record: EndpointRecord): DeliveryEndpoint {
  const { verification } = record;
  return {
    id: record._id,
    projectClientId: record.project_client_id,
    environment: record.environment,
    channel: record.channel,
    address: record.address,
    status: record.status,
    verification:
      verification === null
        ? null
        : {
            tokenHash: verification.token_hash,
            generation: verification.generation,
            issuedAt: verification.issued_at,
            expiresAt: verification.expires_at,
            wrongTries: verification.wrong_tries,
          },
    ownershipGeneration: record.ownership_generation ?? firstOwnership,
    verifiedAt: record.verified_at,
    grantedPurposes: record.granted_purposes,
    withdrawnPurposes: record.withdrawn_purposes,
    lastErrorCode: record.last_error_code,
    pushDueAt: record.push_due_at ?? null,
    resubscription: toResubscription(record.resubscription),
    suppression: toSuppression(record),
    version: record.version,
    createdAt: record.created_at,
  };
}

export function toEndpointRecord(endpoint: DeliveryEndpoint, addressHash: string, now: Date): EndpointRecord {
  const { verification } = endpoint;
  return {
    _id: endpoint.id,
    project_client_id: endpoint.projectClientId,
    environment: endpoint.environment,
    channel: endpoint.channel,
    address: endpoint.address,
    address_hash: addressHash,
    status: endpoint.status,
    verification:
      verification === null
        ? null
        : {
            token_hash: verification.tokenHash,
            generation: verification.generation,
            issued_at: verification.issuedAt,
            expires_at: verification.expiresAt,
            wrong_tries: verification.wrongTries,
          },
    ownership_generation: endpoint.ownershipGeneration,
    verified_at: endpoint.verifiedAt,
    granted_purposes: [...endpoint.grantedPurposes],
    withdrawn_purposes: [...endpoint.withdrawnPurposes],
    last_error_code: endpoint.lastErrorCode,
    ...defined({ push_due_at: endpoint.pushDueAt }),
    ...(endpoint.resubscription === null ? {} : { resubscription: toResubscriptionRecord(endpoint.resubscription) }),
    ...toSuppressionRecord(endpoint.suppression),
    version: endpoint.version,
    created_at: endpoint.createdAt,
    updated_at: now,
  };
}

function toSuppression({ suppression, suppressed_at: since }: EndpointRecord): Suppression | null {
  return suppression === undefined || since === undefined ? null : { ...suppression, since };
}

function toSuppressionRecord(suppression: Suppression | null): Pick<EndpointRecord, "suppression" | "suppressed_at"> {
  if (suppression === null) return {};
  const { reason, since, withdrew } = suppression;
  return { suppression: { reason, withdrew: [...withdrew] }, suppressed_at: since };
}

type ResubscriptionRecord = NonNullable<EndpointRecord["resubscription"]>;

function toResubscription(record: ResubscriptionRecord | undefined): Resubscription | null {
  if (record === undefined) return null;
  return {
    purpose: record.purpose,
    senderProfileId: record.sender_profile_id,
    locale: record.locale,
    tokenHash: record.token_hash ?? "",
    generation: record.generation,
    requestedAt: record.requested_at,
    expiresAt: record.expires_at,
    count: record.count,
    countedFrom: record.counted_from,
    mailDueAt: record.mail_due_at ?? null,
    mailTries: record.mail_tries,
  };
}

function toResubscriptionRecord(asked: Resubscription): ResubscriptionRecord {
  return {
    purpose: asked.purpose,
    sender_profile_id: asked.senderProfileId,
    locale: asked.locale,
    ...(asked.tokenHash === "" ? {} : { token_hash: asked.tokenHash }),
    generation: asked.generation,
    requested_at: asked.requestedAt,
    expires_at: asked.expiresAt,
    count: asked.count,
    counted_from: asked.countedFrom,
    ...defined({ mail_due_at: asked.mailDueAt }),
    mail_tries: asked.mailTries,
  };
}
