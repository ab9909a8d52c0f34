import { type Connection, type Model, Schema } from "mongoose";

/** How far a consumer has read its client's log. */
export type ConsumerPositionDocument = {
  /** The consumer's id. */
  readonly _id: string;
  readonly project_client_id: string;
  readonly position: number;
};

const schema = new Schema<ConsumerPositionDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    position: { type: Number, required: true },
  },
  { collection: "consumer_positions", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1 });

export type ConsumerPositionModel = Model<ConsumerPositionDocument>;

export function consumerPositionModel(connection: Connection): ConsumerPositionModel {
  return connection.model<ConsumerPositionDocument>("ConsumerPosition", schema);
}

/** Notes how far a consumer has read. One that goes back is there again. */
export async function notePosition(
  positions: ConsumerPositionModel,
  consumer: { readonly id: string; readonly bound_to: string },
  position: number,
): Promise<void> {
  await positions.collection.updateOne(
    { _id: consumer.id } as never,
    { $set: { project_client_id: consumer.bound_to, position } },
    { upsert: true },
  );
}

/** How far some consumers have read; one that never read is left out. */
export async function positionsOf(
  positions: ConsumerPositionModel,
  consumerIds: readonly string[],
): Promise<Map<string, number>> {
  const found = await positions.find({ _id: { $in: [...consumerIds] } }).lean<ConsumerPositionDocument[]>();
  return new Map(found.map(({ _id, position }) => [_id, position]));
}
