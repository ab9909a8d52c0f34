import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";

/** A stream that a consumer has open. */
type OpenStream = {
  /** The position after which the stream started. */
  readonly position: number;
  /** False if the consumer passed no position, so that the stream does not show what it has processed. */
  readonly is_presented: boolean;
  /** Time until which the stream counts as open. It is extended while the stream is open. */
  readonly open_until: Date;
};

/** Position up to which a consumer has handled its client's log. */
export type ConsumerPositionDocument = {
  /** The consumer's id. */
  readonly _id: string;
  readonly project_client_id: string;
  /** The last position that the consumer presented. If it has several open streams, the earliest of them. */
  readonly position: number;
  /** The last position that was sent to it; it may have handled less. */
  readonly sent_to?: number;
  readonly streams?: Readonly<Record<string, OpenStream>>;
  /** Number of changes to the streams. Each change of the position requires the number that it has read. */
  readonly revision?: number;
};

const schema = new Schema<ConsumerPositionDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    position: { type: Number, required: true },
    sent_to: Number,
    streams: { type: Schema.Types.Mixed, default: undefined },
    revision: Number,
  },
  { collection: "consumer_positions", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1 });

export type ConsumerPositionModel = Model<ConsumerPositionDocument>;

export function consumerPositionModel(connection: Connection): ConsumerPositionModel {
  return connection.model<ConsumerPositionDocument>("ConsumerPosition", schema);
}

/** A consumer's stream. Its id consists of 32 hex characters, because it is used as a field name. */
export type ConsumerStream = {
  readonly id: string;
  readonly consumer: { readonly id: string; readonly bound_to: string };
  readonly position: number;
  readonly isPresented: boolean;
};

/**
 * Records that a consumer's stream is open. The consumer's position is the one that it presents itself: the earliest
 * among its open streams in all processes. The position stays when streams end, because the consumer may not have
 * handled all events that were sent to it.
 * @param sentTo the last position that was sent
 * @param openUntil time until which the stream counts as open, unless this is called again
 */
export async function noteStream(
  positions: ConsumerPositionModel,
  { id, consumer, position, isPresented }: ConsumerStream,
  { sentTo, openUntil, now }: { readonly sentTo: number; readonly openUntil: Date; readonly now: Date },
): Promise<void> {
  const stream: OpenStream = { position, is_presented: isPresented, open_until: openUntil };
  const noted = (await collectionOf(positions).findOneAndUpdate(
    { _id: consumer.id },
    {
      $set: { project_client_id: consumer.bound_to, sent_to: sentTo, [`streams.${id}`]: stream },
      $setOnInsert: { position },
      $inc: { revision: 1 },
    },
    { upsert: true, returnDocument: "after" },
  )) as Required<ConsumerPositionDocument> | null;
  if (noted === null) return;
  const streams = Object.entries(noted.streams);
  const open = streams.filter(([, { open_until }]) => open_until > now).map(([, each]) => each);
  const over = streams.filter(([, { open_until }]) => open_until <= now).map(([name]) => [`streams.${name}`, ""]);
  const earliest = Math.min(...open.map((each) => each.position));
  const moved = open.some((each) => each.is_presented) ? earliest : noted.position;
  if (moved === noted.position && over.length === 0) return;
  // The write requires the revision that was read. If another stream is recorded in between, it has no effect, and the
  // later call computes the position.
  await collectionOf(positions).updateOne(
    { _id: consumer.id, revision: noted.revision },
    {
      $set: { position: moved },
      ...(over.length === 0 ? {} : { $unset: Object.fromEntries(over) }),
    },
  );
}

/** Records that a stream has ended. The consumer's position does not change. */
export async function noteStreamEnd(
  positions: ConsumerPositionModel,
  { id, consumer }: Pick<ConsumerStream, "id" | "consumer">,
): Promise<void> {
  await collectionOf(positions).updateOne(
    { _id: consumer.id },
    { $unset: { [`streams.${id}`]: "" }, $inc: { revision: 1 } },
  );
}

/** The progress of a consumer. */
export type ConsumerProgress = {
  /** Acknowledged position. Events up to it may be deleted. */
  readonly position: number;
  /** Position of the last event that was sent to it. */
  readonly sentTo: number;
};

/** The progress of the given consumers. Consumers that have never read are left out. */
export async function progressOf(
  positions: ConsumerPositionModel,
  consumerIds: readonly string[],
): Promise<Map<string, ConsumerProgress>> {
  const found = await positions.find({ _id: { $in: [...consumerIds] } }).lean<ConsumerPositionDocument[]>();
  return new Map(
    found.map(({ _id, position, sent_to = position }) => [_id, { position, sentTo: Math.max(position, sent_to) }]),
  );
}
