import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { type Connection, type Model, Schema } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectMongo } from "../src/store/connect.ts";
import { createGroupCommit } from "../src/store/group-commit.ts";
import { insertOnce } from "../src/store/insert-once.ts";
import { buildIndexes } from "../src/store/schema.ts";
import { isDuplicateKey, isStoreFailure } from "../src/store/store-failure.ts";

type Item = {
  _id: string;
  project_client_id: string;
  idempotency_key: string;
  idempotency_fingerprint: string;
  place?: number;
};

let mongo: TestMongo;
let connection: Connection;
let model: Model<Item>;

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  const schema = new Schema<Item>(
    {
      _id: String,
      project_client_id: String,
      idempotency_key: String,
      idempotency_fingerprint: String,
      place: Number,
    },
    { collection: "items", versionKey: false },
  );
  schema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
  schema.index({ place: 1 }, { unique: true, partialFilterExpression: { place: { $exists: true } } });
  model = connection.model<Item>("Item", schema);
  await buildIndexes(connection);
});
beforeEach(async () => {
  await model.collection.deleteMany({});
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const item = (id: string, fields: Partial<Item> = {}): Item => ({
  _id: id,
  project_client_id: "c",
  idempotency_key: "k",
  idempotency_fingerprint: "f",
  ...fields,
});

const failure = { command: "insert", code: 1, message: "the server failed" };
/** A deadlock of PostgreSQL as FerretDB reports it. */
const deadlock = { command: "insert", code: 16_908_292, message: "deadlock detected" };

describe("an insert under an idempotency key", () => {
  test("returns the document that has the key, whichever error the store reports", async () => {
    await insertOnce(model, item("1"));
    expect(await insertOnce(model, item("2"))).toEqual({ document: item("1"), replayed: true });
  });

  test("refuses a key that was used with a different request", async () => {
    await insertOnce(model, item("1"));
    const reused = insertOnce(model, item("2", { idempotency_fingerprint: "other" }));
    await expect(reused).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });

  test("checks the other unique keys if the idempotency key is free", async () => {
    await insertOnce(model, item("1", { place: 1 }));
    const taken = new Error("the place is taken");
    const checkOtherKeys = async ({ place }: Item): Promise<void> => {
      if ((await model.collection.findOne({ place })) !== null) throw taken;
    };
    const second = insertOnce(model, item("2", { idempotency_key: "k2", place: 1 }), { checkOtherKeys });
    await expect(second).rejects.toBe(taken);
  });

  test("rejects with the duplicate error if none of the known keys is taken", async () => {
    await insertOnce(model, item("1", { place: 1 }));
    const failure = await insertOnce(model, item("2", { idempotency_key: "k2", place: 1 })).catch((error) => error);
    expect(isDuplicateKey(failure)).toBe(true);
    expect(isStoreFailure(failure)).toBe(false);
  });

  test("retries once when the store fails", async () => {
    mongo.fail({ ...failure, times: 1 });
    expect(await insertOnce(model, item("1"))).toEqual({ document: item("1"), replayed: false });
    expect(mongo.failures()).toBe(1);
  });

  test("returns a new document, not a replay, if only the first response was lost", async () => {
    mongo.fail({ ...failure, times: 1, isDone: true });
    expect(await insertOnce(model, item("1"))).toEqual({ document: item("1"), replayed: false });
    expect(await model.countDocuments()).toBe(1);
  });

  test("rejects with a store failure when the store fails twice", async () => {
    mongo.fail({ ...failure, times: 2 });
    const refusal = await insertOnce(model, item("1")).catch((error) => error);
    expect(isStoreFailure(refusal)).toBe(true);
    expect(await model.countDocuments()).toBe(0);
  });

  test("inserts after four deadlocks, and rejects with a store failure after five", async () => {
    mongo.fail({ ...deadlock, times: 4 });
    expect(await insertOnce(model, item("1"))).toEqual({ document: item("1"), replayed: false });
    mongo.fail({ ...deadlock, times: 5 });
    const refusal = await insertOnce(model, item("2", { idempotency_key: "other" })).catch((error) => error);
    expect(isStoreFailure(refusal)).toBe(true);
    expect(await model.countDocuments()).toBe(1);
  });

  test.each([
    ["one by one", undefined],
    ["by group commit", "group"],
  ])(
    "creates one document for thirty concurrent first uses of a key, %s, although the store fails some of them",
    async (_how, grouped) => {
      const group = createGroupCommit<Item>(model);
      const options = grouped === undefined ? {} : { insert: group.insert };
      mongo.fail({ ...failure, times: grouped === undefined ? 12 : 1 });
      const made = await Promise.all(
        Array.from({ length: 30 }, (_, index) => insertOnce(model, item(`${index}`), options)),
      );
      expect(new Set(made.map(({ document }) => document._id)).size).toBe(1);
      expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(await model.countDocuments()).toBe(1);
    },
  );

  // The tests of this process share the budget, so this test is the last one.
  test("inserts after a deadlock even if failures have used up the budget of retries", async () => {
    mongo.fail({ ...failure, times: 1_000 });
    const attempts = Array.from({ length: 200 }, (_, index) => insertOnce(model, item(`${index}`)));
    await Promise.allSettled(attempts);
    // Each call adds a tenth of a retry, so these attempts may have left a part of one. This attempt uses it up.
    await insertOnce(model, item("rest")).catch(() => null);
    mongo.fail({ ...failure, times: 1 });
    await expect(insertOnce(model, item("first"))).rejects.toThrow();
    mongo.fail({ ...deadlock, times: 1 });
    expect(await insertOnce(model, item("second"))).toEqual({ document: item("second"), replayed: false });
  });
});
