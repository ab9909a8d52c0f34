import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listSeries } from "@platform/backup/backup-series";
import { openBackupStore } from "@platform/backup/open-store";
import { backup } from "@platform/backup/run-backup";
import type { S3Access } from "@platform/kit/process/env";
import { seal } from "@platform/kit/process/secrets";
import type { ServiceStorage } from "@platform/kit/service/storage";
import type { StoredDocument } from "@platform/kit/store/documents";
import { connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { Schema } from "mongoose";
import { afterEach, beforeEach, expect, test } from "vitest";

const keyring = { current: new Uint8Array(32).fill(1), previous: [] };
const s3: S3Access = { region: "us-east-1", endpoint: null, credentials: null, forcePathStyle: true };

let mongo: TestMongo;
let source: MongoConnection;
let scratch: MongoConnection;
let place: string;
/** The number of lost records that the test's reconcile function reports. */
let lost: number;
/** For each run, what the test's reconcile function has read. */
let reconciled: { database: string; documents: number; indexes: string[] }[];

const storage: ServiceStorage = {
  openStores: (connection) => {
    const schema = new Schema({ number: Number, secret_sealed: String }, { collection: "things" });
    connection.model("Thing", schema.index({ number: 1 }));
  },
  sharding: {},
  sealed: [{ collection: "things", field: "secret_sealed", purposeOf: (id) => `thing:${id}` }],
  reconcile: async (connection) => {
    const things = connection.collection("things");
    const indexes = (await things.indexes()).map(({ name }) => `${name}`);
    reconciled.push({ database: connection.name, documents: await things.countDocuments({}), indexes });
    return { lost };
  },
};

async function run(args: readonly string[], current = keyring.current): Promise<string[]> {
  const lines: string[] = [];
  const config = {
    mongo: { uri: mongo.uri, database: mongo.database, autoIndex: false },
    keyring: { current, previous: [] },
    backups: { place, keep: 5, s3 },
  };
  await backup(config, storage, args, (line) => lines.push(line));
  return lines;
}

beforeEach(async () => {
  [lost, reconciled] = [0, []];
  mongo = await startTestMongo();
  place = await mkdtemp(join(tmpdir(), "restore-drill-"));
  source = await connectMongo({ uri: mongo.uri, database: mongo.database });
  scratch = await connectMongo({ uri: mongo.uri, database: `${mongo.database}_restore_drill` });
  const things = Array.from({ length: 700 }, (_, number) => ({
    _id: `t${number}`,
    number,
    secret_sealed: seal(keyring, `thing:t${number}`, `secret ${number}`),
  }));
  await source.collection<StoredDocument>("things").insertMany(things);
});
afterEach(async () => {
  await Promise.all([source.close(), scratch.close()]);
  await rm(place, { recursive: true });
  await mongo.close();
});

const collections = async (): Promise<string[]> =>
  ((await scratch.db?.listCollections().toArray()) ?? []).map(({ name }) => name);

test("restores the newest backup into a scratch database, runs reconcile on it, and drops it", async () => {
  await run(["add"]);
  await source.collection("things").deleteOne({ number: 0 });
  await run(["add"]);
  const lines = await run(["drill"]);
  expect(reconciled).toEqual([
    { database: `${mongo.database}_restore_drill`, documents: 699, indexes: ["_id_", "number_1"] },
  ]);
  expect(lines.at(-1)).toMatch(/^the restore drill of .*Z passed in \d+ s$/);
  expect(await collections()).toEqual([]);
  expect(await source.collection("things").countDocuments({})).toBe(699);
});

test("first drops the remains of an interrupted drill", async () => {
  await run(["add"]);
  await scratch.collection("things").insertOne({ number: -1 });
  await run(["drill"]);
  expect(reconciled[0]?.documents).toBe(700);
});

test("fails if reconcile finds records that no restore can recover", async () => {
  await run(["add"]);
  lost = 2;
  await expect(run(["drill"])).rejects.toThrow("2 records of the backup are lost");
  expect(await collections()).toEqual([]);
});

test("fails if the service's key cannot decrypt the restored secrets", async () => {
  await run(["add"]);
  await expect(run(["drill"], new Uint8Array(32).fill(9))).rejects.toThrow("SERVICE_KEY_PREVIOUS");
  expect(await collections()).toEqual([]);
});

test("fails if the newest backup is truncated, or if there is no backup", async () => {
  await expect(run(["drill"])).rejects.toThrow("holds no finished backup");
  await run(["add"]);
  const store = openBackupStore(`${place}/${mongo.database}`, s3);
  const [entry] = await listSeries(store);
  await truncate(join(place, mongo.database, entry?.folder ?? "", "things.bson.gz"), 50);
  await expect(run(["drill"])).rejects.toThrow("things of the backup");
});
