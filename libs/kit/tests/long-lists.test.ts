import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { type Model, Schema } from "mongoose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectMongo, type MongoConnection } from "../src/store/connect.ts";
import { readsIndexInOrder } from "../src/store/index-order.ts";
import { readPage } from "../src/store/keyset-page.ts";

type Item = { _id: string; created_at: Date; kind: string };

let mongo: TestMongo;
let connection: MongoConnection;
let model: Model<Item>;

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  model = connection.model<Item>("Item", new Schema<Item>({ _id: String, created_at: Date, kind: String }));
  const nowMs = Date.now();
  // Items of the last minutes, hours, days and months, always three with the same time.
  const agesMs = Array.from({ length: 40 }, (_, index) => 1_000 * 1.5 ** index);
  await model.insertMany(
    agesMs.flatMap((ageMs, index) =>
      ["a", "b", "c"].map((letter) => ({
        _id: `${index}-${letter}`,
        created_at: new Date(nowMs - ageMs),
        kind: index % 7 === 0 ? "rare" : "common",
      })),
    ),
  );
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

async function walked(
  filter: Readonly<Record<string, unknown>>,
  options: { readonly isLong: boolean },
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ; ) {
    const { items, nextCursor } = await readPage<Item>(model, filter, { limit: 10, cursor }, options);
    ids.push(...items.map(({ _id }) => _id));
    if (nextCursor === "") return ids;
    cursor = nextCursor;
  }
}

it.each([[{}], [{ kind: "rare" }], [{ kind: "none" }]])(
  "reads a long list in periods with the same pages as in one read: %j",
  async (filter) => {
    const whole = await walked(filter, { isLong: false });
    expect(await walked(filter, { isLong: true })).toEqual(whole);
  },
);

it("reads only the last minute for a page that it fills, if the server sorts everything that matches", async () => {
  const [filter, ...others] = await mongo.filters(["items"], () =>
    readPage<Item>(model, {}, { limit: 5, cursor: "" }, { isLong: true }),
  );
  expect(others).toEqual([]);
  const bound = filter?.filter.created_at as { $gte: Date } | undefined;
  if (await readsIndexInOrder(connection)) expect(bound).toBeUndefined();
  else expect(Date.now() - (bound?.$gte.getTime() ?? 0)).toBeLessThan(120_000);
});
