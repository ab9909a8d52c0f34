import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { type Model, Schema } from "mongoose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectMongo, type MongoConnection } from "../src/store/connect.ts";
import { readPage } from "../src/store/keyset-page.ts";

type Item = { _id: string; created_at: Date; kind: string };

let mongo: TestMongo;
const connections: MongoConnection[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
  const nowMs = Date.now();
  // Items of the last minutes, hours, days and months, always three with the same time.
  const agesMs = Array.from({ length: 40 }, (_, index) => 1_000 * 1.5 ** index);
  const model = await connect({});
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
  for (const connection of connections) await connection.close();
  await mongo.close();
});

/** Returns the items on a connection whose server responds to buildInfo as given. */
async function connect(buildInfo: object): Promise<Model<Item>> {
  const connection = await connectMongo(mongo);
  connections.push(connection);
  Object.assign(connection.db ?? {}, { admin: () => ({ buildInfo: async () => buildInfo }) });
  return connection.model<Item>("Item", new Schema<Item>({ _id: String, created_at: Date, kind: String }));
}

async function walked(
  model: Model<Item>,
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

/** Returns the filters of the reads of one page. */
async function filtersOf(model: Model<Item>, cursor = "", until: Date | null = null) {
  const span = { since: null, until };
  const filters = await mongo.filters(["items"], () =>
    readPage<Item>(model, {}, { limit: 5, cursor }, { isLong: true, span }),
  );
  return filters.map(({ filter }) => filter);
}

describe("a list on a server that sorts everything that matches", () => {
  it.each([[{}], [{ kind: "rare" }], [{ kind: "none" }]])("has the same pages as in one read: %j", async (filter) => {
    const model = await connect({ ferretdb: { version: "v2.7.0" } });
    const whole = await walked(model, filter, { isLong: false });
    expect(await walked(model, filter, { isLong: true })).toEqual(whole);
  });

  it("is read only as far back as a minute if that fills the page", async () => {
    const [filter, ...others] = await filtersOf(await connect({ ferretdb: { version: "v2.7.0" } }));
    expect(filter).toEqual({ created_at: { $gte: expect.any(Date) } });
    const bounds = filter?.created_at as { $gte: Date } | undefined;
    expect(Date.now() - (bounds?.$gte.getTime() ?? 0)).toBeLessThan(120_000);
    expect(others).toEqual([]);
  });

  it("is first read in the minute before the end of the time range, now, or the cursor", async () => {
    const model = await connect({ ferretdb: { version: "v2.7.0" } });
    const beginningMs = async (cursor: string, until: Date | null): Promise<number> => {
      const [filter] = await filtersOf(model, cursor, until);
      const bounds = filter?.created_at as { $gte: Date } | undefined;
      return bounds?.$gte.getTime() ?? Number.NaN;
    };
    const [past, future] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
    expect(await beginningMs("", past)).toBe(past.getTime() - 60_000);
    expect(await beginningMs("", future)).toBeLessThan(Date.now());
    const { items, nextCursor } = await readPage<Item>(model, {}, { limit: 50, cursor: "" }, { isLong: true });
    expect(await beginningMs(nextCursor, null)).toBe((items.at(-1)?.created_at.getTime() ?? 0) - 60_000);
  });
});

it("reads a list without periods on a server that reads an index in its order", async () => {
  expect(await filtersOf(await connect({ version: "8.0.0" }))).toEqual([{}]);
});
