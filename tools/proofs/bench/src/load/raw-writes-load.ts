import { randomUUID } from "node:crypto";
import { type Document, MongoClient } from "mongodb";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/**
 * Writes with only the driver what one request of the platform writes: copies of a stored document, into a collection
 * with the same indexes, with the write concern of the services.
 */
export type RawWritesLoad = {
  readonly uri: string;
  readonly database: string;
  /** The collection of the platform. */
  readonly collection: string;
  /**
   * `insert`: one insertOne per document. `insertMany`: 16 documents per command. `deliver`: insertOne, claim by
   * findOneAndUpdate, and settle by updateOne.
   */
  readonly what: "insert" | "insertMany" | "deliver";
  readonly inFlight: number;
  readonly durationMs: number;
};

const batchLength = 16;

export async function runRawWritesLoad(load: RawWritesLoad): Promise<LoadSample> {
  const writeConcern = { w: "majority", journal: true } as const;
  const client = await MongoClient.connect(load.uri, { writeConcern, maxPoolSize: load.inFlight });
  try {
    const source = client.db(load.database).collection(load.collection);
    const model = await source.findOne();
    if (model === null) throw new Error(`${load.database}.${load.collection} has no document to copy`);
    const indexes = (await source.indexes()).filter(({ name }) => name !== "_id_");
    const target = client.db("bench").collection(`raw_${load.collection}`);
    if (indexes.length > 0) await target.createIndexes(indexes.map(({ v: _version, ...index }) => index));
    const unique = new Set(indexes.flatMap(({ unique, key }) => (unique === true ? Object.keys(key) : [])));
    // Larger than the numbers of earlier runs, and far below 2^53.
    let number = Date.now() * 1_000;
    const copy = (): Document => {
      number += 1;
      return freshCopy(model, unique, number);
    };
    const insert = async (): Promise<Document> => {
      const document = copy();
      await target.insertOne(document);
      return document;
    };
    const once = {
      insert,
      insertMany: () => target.insertMany(Array.from({ length: batchLength }, copy), { ordered: false }),
      deliver: async () => {
        const { _id } = await insert();
        const claimed = { status: "sending", claim_id: randomUUID(), lease_until: new Date() };
        await target.findOneAndUpdate({ _id, status: model.status }, { $set: claimed });
        const settled = {
          $set: { status: "sent", finished_at: new Date() },
          $unset: { claim_id: "", lease_until: "" },
        };
        await target.updateOne({ _id, claim_id: claimed.claim_id }, settled);
      },
    }[load.what];
    const sample = await runClosedLoop({ concurrency: load.inFlight, durationMs: load.durationMs, once });
    return load.what === "insertMany"
      ? { ...sample, count: sample.count * batchLength, perSecond: sample.perSecond * batchLength }
      : sample;
  } finally {
    await client.close();
  }
}

/** Copies the document with a new id and with new values in the fields of unique indexes. */
export function freshCopy(model: Document, unique: ReadonlySet<string>, number: number): Document {
  const copy: Document = { ...model, _id: randomUUID() };
  for (const field of unique) {
    const value = copy[field];
    if (field === "project_client_id" || field === "_id") continue;
    if (typeof value === "string") copy[field] = randomUUID();
    else if (typeof value === "number" || typeof value === "bigint") copy[field] = number;
    else if (value !== null && value !== undefined) copy[field] = randomUUID();
  }
  return copy;
}
