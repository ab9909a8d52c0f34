import { randomBytes, randomUUID } from "node:crypto";
import { createGroupCommit } from "@platform/service-kit/mongo/group-commit";
import { MongoClient } from "mongodb";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/**
 * The driver alone: documents of a Domain Event's shape, one insert each with the services' write concern, the
 * same gathered by the services' group commit, or finds by a unique index.
 */
export type MongoLoad = {
  readonly what: "insert" | "groupCommit" | "find";
  readonly uri: string;
  readonly inFlight: number;
  readonly durationMs: number;
};

const collectionName = "bench_documents";

export async function runMongoLoad(load: MongoLoad): Promise<LoadSample> {
  const client = await MongoClient.connect(load.uri, {
    writeConcern: { w: "majority", journal: true },
    maxPoolSize: 50,
  });
  const collection = client.db("bench").collection(collectionName);
  await collection.createIndex({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
  const projectClientId = randomUUID();
  const run = randomBytes(8).toString("hex");
  const documentOf = (index: number) => ({
    _id: randomUUID() as never,
    project_client_id: projectClientId,
    type: "order.placed",
    schema_version: 1,
    data_json: JSON.stringify({ order: 1, lines: [{ sku: "A-1", quantity: 2 }] }),
    occurred_at: null,
    published_at: new Date(),
    idempotency_key: `${run}-${index}`,
    idempotency_fingerprint: "0".repeat(64),
  });
  const found = 1_000;
  if (load.what === "find") {
    await collection.insertMany(Array.from({ length: found }, (_, index) => documentOf(index)));
  }
  const group = createGroupCommit<object>({ collection });
  const once = {
    insert: (index: number): Promise<unknown> => collection.insertOne(documentOf(index)),
    groupCommit: (index: number): Promise<void> => group.insert(documentOf(index)),
    find: async (index: number): Promise<void> => {
      const key = { project_client_id: projectClientId, idempotency_key: `${run}-${index % found}` };
      if ((await collection.findOne(key)) === null) throw new Error("not found");
    },
  }[load.what];
  try {
    return await runClosedLoop({ concurrency: load.inFlight, durationMs: load.durationMs, once });
  } finally {
    await client.close();
  }
}
