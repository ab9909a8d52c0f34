import { randomBytes } from "node:crypto";
import type { StoredDocument } from "@platform/kit/store/documents";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { migrate } from "../src/service/migrate.ts";
import { connectMongo, type MongoConnection } from "../src/store/connect.ts";
import { type DataMigration, dataMigrationsCollection, runDataMigrations } from "../src/store/data-migrations.ts";
import { lowerCase, startMigration } from "./killed-migration.ts";

let mongo: TestMongo;
let database: string;
let connection: MongoConnection;
beforeAll(async () => {
  mongo = await startTestMongo();
});
beforeEach(async () => {
  database = `${mongo.database}_${randomBytes(3).toString("hex")}`;
  connection = await connectMongo({ uri: mongo.uri, database });
});
afterEach(() => connection.close());
afterAll(() => mongo.close());

const people = () => connection.collection<{ _id: string; address: string }>("people");
async function addPeople(count: number, from = 0): Promise<void> {
  for (let start = from; start < from + count; start += 1_000) {
    const length = Math.min(1_000, from + count - start);
    await people().insertMany(
      Array.from({ length }, (_, index) => ({
        _id: `p${String(start + index).padStart(6, "0")}`,
        address: `P${start + index}@Example.com`,
      })),
    );
  }
}
async function run(migrations: readonly DataMigration[]): Promise<string[]> {
  const lines: string[] = [];
  await runDataMigrations(connection, migrations, (line) => lines.push(line));
  return lines;
}
const recorded = async (): Promise<unknown[]> =>
  (await connection.collection(dataMigrationsCollection).find({}).toArray()).map(({ migrationName }) => migrationName);

test("resumes a migration of 100,000 documents that was killed in the middle, and changes each document once", async () => {
  await addPeople(100_000);
  const changed = (): Promise<number> => people().countDocuments({ address_lower: { $exists: true } });
  const migration = startMigration({ uri: mongo.uri, database });
  await eventually(async () => (await changed()) >= 5_000, { what: "a part is changed" });
  expect(await migration.kill()).toBe("SIGKILL");
  const before = await changed();
  expect(before).toBeLessThan(100_000);
  expect(await recorded()).toEqual([]);
  const last = (await run([lowerCase])).at(-1) ?? "";
  const [, count] =
    new RegExp(`^migration ${lowerCase.name} is done: (\\d+) documents of people were changed$`).exec(last) ?? [];
  // The store may still execute the batch of 500 documents that the killed process had sent.
  expect([0, 500]).toContain(100_000 - before - Number(count));
  expect(await people().countDocuments({ changes: 1 })).toBe(100_000);
  expect(await people().findOne({ _id: "p099999" })).toMatchObject({ address_lower: "p99999@example.com" });
  expect(await recorded()).toEqual([lowerCase.name]);
});

test("does not change a document that a running process has meanwhile written in the new form", async () => {
  await addPeople(2);
  const client = connection.getClient();
  let served: Promise<unknown> | null = null;
  const migration: DataMigration = {
    ...lowerCase,
    // The serving process has its own connection, and its write reaches the server before the write of the migration.
    change: (document) => {
      served ??= client
        .db(database)
        .collection<StoredDocument>("people")
        .updateOne({ _id: "p000001" }, { $set: { address_lower: "served" } });
      return lowerCase.change(document);
    },
  };
  await run([migration]);
  await served;
  expect(await people().findOne({ _id: "p000001" })).toMatchObject({ address_lower: "served" });
});

test("changes each document once when two migration Jobs run at the same time", async () => {
  await addPeople(2_000);
  await Promise.all([run([lowerCase]), run([lowerCase])]);
  expect(await people().countDocuments({ changes: 1 })).toBe(2_000);
});

test("runs each migration once, in the order of their names, each on the result of the earlier ones", async () => {
  await addPeople(2);
  await run([lowerCase]);
  const domain: DataMigration = {
    name: "2026-12-01-domains",
    collection: "people",
    pending: { domain: { $exists: false } },
    change: ({ address_lower }) => ({ $set: { domain: String(address_lower).split("@")[1] } }),
  };
  expect(await run([lowerCase, domain])).toEqual([
    `migration ${domain.name} is done: 2 documents of people were changed`,
  ]);
  expect(await people().countDocuments({ domain: "example.com", changes: 1 })).toBe(2);
  expect(await run([lowerCase, domain])).toEqual([]);
});

test("runs a failed migration again", async () => {
  await addPeople(1);
  const failing: DataMigration = {
    ...lowerCase,
    change: () => {
      throw new Error("no address");
    },
  };
  await expect(run([failing])).rejects.toThrow("no address");
  expect(await recorded()).toEqual([]);
  expect(await run([lowerCase])).toHaveLength(1);
});

test("refuses migrations that are out of order, and two with the same name", async () => {
  const earlier = { ...lowerCase, name: "2026-11-24-earlier" };
  await expect(run([lowerCase, earlier])).rejects.toThrow("in the order of their names");
  await expect(run([lowerCase, lowerCase])).rejects.toThrow("each once");
});

test("runs migrations in the migration step of a release, after it has built the indexes", async () => {
  await addPeople(1);
  const lines: string[] = [];
  await migrate(
    { mongo: { uri: mongo.uri, database, autoIndex: false }, keyring: { current: new Uint8Array(32), previous: [] } },
    { openStores: () => undefined, sharding: {}, sealed: [], migrations: [lowerCase] },
    { say: (line) => lines.push(line) },
  );
  expect(lines.at(-1)).toBe(`migration ${lowerCase.name} is done: 1 documents of people were changed`);
  expect(lines.length).toBeGreaterThan(1);
});
