import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFolder } from "@platform/backup/folder";
import { backup } from "@platform/backup/run-backup";
import { restoreBackup, writeBackup } from "@platform/backup/snapshot";
import { open, seal } from "@platform/kit/process/secrets";
import type { ServiceStorage } from "@platform/kit/service/storage";
import type { StoredDocument } from "@platform/kit/store/documents";
import { connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { createConnection, mongo as driver, Schema } from "mongoose";
import { afterEach, beforeEach, expect, test } from "vitest";

const { Binary, Double, Int32, Long, Timestamp } = driver;
const purposeOf = (id: string): string => `secret:${id}`;
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];

let mongo: TestMongo;
let folder: string;
let source: MongoConnection;
const databases = () => ({ from: `${mongo.database}_from`, to: `${mongo.database}_to` });

const storage: ServiceStorage = {
  openStores: (connection) => {
    const schema = new Schema({ number: Number, secret_sealed: String }, { collection: "secrets" });
    connection.model("Secret", schema.index({ number: 1 }, { unique: true }));
  },
  sharding: {},
  sealed: [{ collection: "secrets", field: "secret_sealed", purposeOf }],
  leases: ["leases"],
};
const run = async (args: readonly string[], previous: readonly Uint8Array[] = [oldKey]): Promise<string[]> => {
  const lines: string[] = [];
  const isMade = args[0] === "create";
  const database = isMade ? databases().from : databases().to;
  const keyring = isMade ? { current: oldKey, previous: [] } : { current: newKey, previous };
  const s3 = { region: "us-east-1", endpoint: null, credentials: null, forcePathStyle: true };
  const config = {
    mongo: { uri: mongo.uri, database, autoIndex: false },
    keyring,
    backups: { place: null, keep: 1, s3 },
  };
  await backup(config, storage, args, (line) => lines.push(line));
  return lines;
};
const restored = async <T>(work: (connection: MongoConnection) => Promise<T>): Promise<T> => {
  const connection = await connectMongo({ uri: mongo.uri, database: databases().to });
  return work(connection).finally(() => connection.close());
};
const secrets = Array.from({ length: 1_203 }, (_, number) => ({
  _id: `s${number}`,
  number: new Int32(number),
  long: Long.fromNumber(number),
  double: new Double(number),
  at: new Date(number),
  stamp: new Timestamp({ t: 1, i: number + 1 }),
  bytes: new Binary(randomBytes(8)),
  "a.b": { $c: null },
  secret_sealed: seal({ current: oldKey, previous: [] }, purposeOf(`s${number}`), `secret ${number}`),
}));

beforeEach(async () => {
  mongo = await startTestMongo();
  folder = join(await mkdtemp(join(tmpdir(), "platform-backup-")), "made");
  source = await connectMongo({ uri: mongo.uri, database: databases().from });
  await source.collection<StoredDocument>("secrets").insertMany(secrets);
  await source.collection("leases").insertOne({ owner: "a process that is gone" });
});
afterEach(async () => {
  await source.close();
  await rm(join(folder, ".."), { recursive: true });
  await mongo.close();
});

test("restores every document with its types, and with its indexes and its secrets under a new key", async () => {
  expect(await run(["create", folder])).toContain(
    `${databases().from} is backed up and read back: 1203 documents of 1 collections`,
  );
  expect((await stat(join(folder, "secrets.bson.gz"))).mode & 0o077).toBe(0);
  expect((await run(["verify", folder]))[0]).toMatch(/is whole: 1203 documents/);
  expect(await run(["restore", folder])).toContain("1203 secrets are sealed with the current key");
  await restored(async (connection) => {
    const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false } as const;
    const read = (database: MongoConnection) =>
      database
        .collection("secrets")
        .find({}, { ...exact, sort: { _id: 1 }, projection: { secret_sealed: 0 } })
        .toArray();
    expect(await read(connection)).toEqual(await read(source));
    for (const { _id, secret_sealed } of await connection.collection("secrets").find({}).toArray())
      expect(open({ current: newKey, previous: [] }, purposeOf(`${_id}`), secret_sealed)).toBe(
        `secret ${`${_id}`.slice(1)}`,
      );
    expect((await connection.collection("secrets").indexes()).map(({ name }) => name)).toContain("number_1");
    expect(await connection.collection("leases").countDocuments({})).toBe(0);
  });
  await expect(run(["restore", folder])).rejects.toThrow("a backup is restored into an empty database");
});

test("names the secrets that no key of the keyring decrypts, and restores everything else", async () => {
  await run(["create", folder]);
  await expect(run(["restore", folder], [])).rejects.toThrow("SERVICE_KEY_PREVIOUS");
  expect(await restored((connection) => connection.collection("secrets").countDocuments({}))).toBe(1_203);
  expect(await run(["reseal"])).toEqual(["1203 secrets are sealed with the current key"]);
});

test("refuses a backup that is unfinished, truncated or altered", async () => {
  await expect(run(["restore", folder])).rejects.toThrow("holds no finished backup");
  await run(["create", folder]);
  const path = join(folder, "secrets.bson.gz");
  const whole = await readFile(path);
  await truncate(path, whole.byteLength - 100);
  await expect(run(["verify", folder])).rejects.toThrow("secrets of the backup");
  await writeFile(path, whole);
  const manifest = join(folder, "manifest.json");
  await writeFile(manifest, (await readFile(manifest, "utf8")).replace('"documents": 1203', '"documents": 1202'));
  await expect(run(["restore", folder])).rejects.toThrow("is not what was written");
  expect(await restored((connection) => connection.collection("secrets").countDocuments({}))).toBe(0);
});

test("restores 30 documents of 1 MB in commands of at most 8 MiB, so that a Job needs little memory", async () => {
  const documents = Array.from({ length: 30 }, (_, number) => ({ _id: `d${number}`, text: "x".repeat(1_000_000) }));
  await source.collection<StoredDocument>("documents").insertMany(documents);
  const place = { store: openFolder(folder), folder: "" };
  await writeBackup(source, place, []);
  const monitored = createConnection(mongo.uri, { dbName: databases().to, monitorCommands: true });
  const sizes: number[] = [];
  monitored.getClient().on("commandStarted", ({ commandName, command }) => {
    if (commandName === "insert") sizes.push(driver.BSON.calculateObjectSize(command.documents));
  });
  await monitored.asPromise();
  await restoreBackup(monitored, place);
  expect(await monitored.collection("documents").countDocuments({})).toBe(30);
  await monitored.close();
  const large = sizes.filter((bytes) => bytes > 1_000_000);
  expect(large.length).toBeGreaterThan(3);
  expect(Math.max(...large)).toBeLessThanOrEqual(8 * 1024 * 1024);
});
