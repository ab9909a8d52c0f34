import { type Connection, type Model, Schema } from "mongoose";
import type { RequestLine } from "../domain/request-line.ts";

/**
 * Number of entries after which a document is full and is followed by another of the same minute. Each addition costs
 * the database a rewrite of the whole document, so a larger one would make every addition slower.
 */
export const bucketLinesMax = 100;

/** Lines of the request log of one client in one minute. */
export type RequestBucketDocument = {
  /** Consists of client, minute and number of the bucket in the minute. */
  _id: string;
  project_client_id: string;
  /** Start of the minute. */
  minute: Date;
  lines: RequestLine[];
  count: number;
  /** Number of its lines by error code; `ok` counts the successes. */
  codes: Record<string, number>;
  /** Requests that gateways dropped because their logs were full. */
  dropped: number;
  /** Time of its newest line, or its minute if it has none. */
  last_at: Date;
  /** Time of the last addition. */
  changed_at: Date;
  /** For each gateway process, the number of the last report that is included. */
  reports: Record<string, number>;
  /** Present only in the marker of an erased client, which expires. */
  erased_at?: Date;
};

/** A gateway process that reports requests. */
export type RequestReporterDocument = {
  _id: string;
  /** Everything that the process logged before this time has been reported. */
  reported_until: Date;
  /** Time of the last report. */
  seen_at: Date;
  /** True if the process has sent its last report. */
  is_over: boolean;
};

const required = { required: true } as const;
/**
 * How long the marker of an erased client is kept, in seconds. Late reports arrive within minutes, because a gateway
 * keeps unreported lines only in memory.
 */
const erasedSeconds = 30 * 86_400;
const reporterSeconds = 8 * 86_400;

const lineSchema = new Schema<RequestLine>(
  {
    at: { type: Date, ...required },
    operation: { type: String, ...required },
    method: { type: String, ...required },
    status: { type: Number, ...required },
    code: { type: String, default: null },
    duration_ms: { type: Number, ...required },
    credential_id: { type: String, ...required },
    network: { type: String, ...required },
    correlation_id: { type: String, ...required },
    idempotency_key_hash: { type: String, default: null },
    replayed: { type: Boolean, ...required },
  },
  { _id: false, strict: "throw" },
);

const bucketSchema = new Schema<RequestBucketDocument>(
  {
    _id: { type: String, ...required },
    project_client_id: { type: String, ...required },
    minute: { type: Date, ...required },
    lines: { type: [lineSchema], ...required },
    count: { type: Number, ...required },
    codes: { type: Schema.Types.Mixed, ...required },
    dropped: { type: Number, ...required },
    last_at: { type: Date, ...required },
    changed_at: { type: Date, ...required },
    reports: { type: Schema.Types.Mixed, ...required },
    erased_at: Date,
  },
  { collection: "request_log", strict: "throw", versionKey: false, minimize: false },
);
// Index for the log of one client and of all clients, newest first.
bucketSchema.index({ project_client_id: 1, minute: -1, last_at: -1, _id: -1 });
bucketSchema.index({ minute: -1, last_at: -1, _id: -1 });
// Index for new entries, for readers that follow the log.
bucketSchema.index({ project_client_id: 1, changed_at: 1 });
// Index for finding a request by the correlation id that a caller quotes.
bucketSchema.index({ "lines.correlation_id": 1 });
bucketSchema.index({ erased_at: 1 }, { expireAfterSeconds: erasedSeconds, sparse: true });

const reporterSchema = new Schema<RequestReporterDocument>(
  {
    _id: { type: String, ...required },
    reported_until: { type: Date, ...required },
    seen_at: { type: Date, ...required },
    is_over: { type: Boolean, ...required },
  },
  { collection: "request_reporters", strict: "throw", versionKey: false },
);
reporterSchema.index({ seen_at: 1 }, { expireAfterSeconds: reporterSeconds });

export const requestBucketModel = (connection: Connection): Model<RequestBucketDocument> =>
  connection.model<RequestBucketDocument>("RequestBucket", bucketSchema);

export const requestReporterModel = (connection: Connection): Model<RequestReporterDocument> =>
  connection.model<RequestReporterDocument>("RequestReporter", reporterSchema);
