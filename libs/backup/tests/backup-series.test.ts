import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { listSeries, pruneSeries, seriesFolder } from "@platform/backup/backup-series";
import type { BackupStore } from "@platform/backup/backup-store";
import { openBackupStore } from "@platform/backup/open-store";
import { backup } from "@platform/backup/run-backup";
import type { S3Access } from "@platform/kit/process/env";
import type { ServiceStorage } from "@platform/kit/service/storage";
import type { StoredDocument } from "@platform/kit/store/documents";
import { connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { startTestS3 } from "@platform/test-kit/s3";
import { Schema } from "mongoose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const storage: ServiceStorage = {
  openStores: (connection) => {
    connection.model("Thing", new Schema({ number: Number }, { collection: "things" }).index({ number: 1 }));
  },
  sharding: {},
  sealed: [],
};
const noS3: S3Access = { region: "us-east-1", endpoint: null, credentials: null, forcePathStyle: true };

async function openFolderPlace() {
  const folder = await mkdtemp(join(tmpdir(), "backup-series-"));
  return { place: join(folder, "backups"), s3: noS3, close: () => rm(folder, { recursive: true }) };
}

async function openS3Place() {
  const { settings, close } = await startTestS3();
  return { place: `s3://${settings.bucket}/platform/backups`, s3: settings as S3Access, close };
}

describe.each([
  ["a folder", openFolderPlace],
  ["an S3 bucket", openS3Place],
])("a series of backups in %s", (_kind, open) => {
  let mongo: TestMongo;
  let source: MongoConnection;
  let at: Awaited<ReturnType<typeof open>>;
  let store: BackupStore;
  let database: string;
  beforeAll(async () => {
    [mongo, at] = await Promise.all([startTestMongo(), open()]);
    database = `${mongo.database}_series`;
    source = await connectMongo({ uri: mongo.uri, database });
    store = openBackupStore(`${at.place}/${database}`, at.s3);
  });
  afterAll(async () => {
    store.close();
    await source.close();
    await Promise.all([mongo.close(), at.close()]);
  });
  const run = async (args: readonly string[], keep = 2, into = database): Promise<string[]> => {
    const lines: string[] = [];
    await backup(
      {
        mongo: { uri: mongo.uri, database: into, autoIndex: false },
        keyring: { current: new Uint8Array(32), previous: [] },
        backups: { place: at.place, keep, s3: at.s3 },
      },
      storage,
      args,
      (line) => lines.push(line),
    );
    return lines;
  };
  const put = (path: string, content = "x"): Promise<void> => store.write(path, Readable.from([Buffer.from(content)]));
  const folders = async (): Promise<string[]> => (await listSeries(store)).map(({ folder }) => folder);

  test("creates a backup, keeps the newest ones, and restores the newest with its documents", async () => {
    expect(await run(["list"])).toEqual([`${at.place}/${database} holds no backup`]);
    const made: string[] = [];
    for (let number = 1; number <= 3; number += 1) {
      await source.collection<StoredDocument>("things").insertOne({ _id: `t${number}`, number });
      expect(await run(["add"])).toContain(
        `${database} is backed up and read back: ${number} documents of 1 collections`,
      );
      made.push((await folders()).at(-1) ?? "");
    }
    expect(await folders()).toEqual(made.slice(-2));
    // The folder of the oldest backup is empty, because the backup was deleted.
    expect(await store.list(made[0] ?? "")).toEqual([]);
    const newest = (await run(["list"])).at(-1) ?? "";
    expect(newest).toBe(`${at.place}/${database}/${made[2]}`);
    expect((await run(["verify", newest]))[0]).toMatch(/ is whole: 3 documents of 1 collections$/);
    const into = `${database}_restored`;
    expect((await run(["restore", newest], 2, into))[0]).toMatch(/ is restored: 3 documents of 1 collections$/);
    const restored = await connectMongo({ uri: mongo.uri, database: into });
    try {
      expect(await restored.collection("things").countDocuments({})).toBe(3);
    } finally {
      await restored.close();
    }
  });

  test("removes no backup if a new one cannot be created", async () => {
    const before = await folders();
    expect(before).not.toEqual([]);
    await expect(
      backup(
        {
          mongo: { uri: mongo.uri, database, autoIndex: false },
          keyring: { current: new Uint8Array(32), previous: [] },
          // Backups cannot be created here, because the path is below a file, or the bucket does not exist.
          backups: { place: at.place.startsWith("s3:") ? "s3://no-such-bucket" : "/dev/null", keep: 1, s3: at.s3 },
        },
        storage,
        ["add"],
        () => undefined,
      ),
    ).rejects.toThrow();
    expect(await folders()).toEqual(before);
  });

  test("deletes the remains of a killed process after a day, and no files of other processes", async () => {
    const day = 24 * 3_600_000;
    const now = Date.now();
    const [old, young] = [seriesFolder(new Date(now - day - 60_000)), seriesFolder(new Date(now - day + 60_000))];
    for (const path of [`${old}/things.bson.gz`, `${young}/things.bson.gz`, "notes/read.me", "read.me"])
      await put(path);
    const before = await folders();
    expect(await pruneSeries(store, 10, new Date(now))).toEqual([old]);
    expect(await folders()).toEqual(before.filter((folder) => folder !== old));
    expect(await text(await store.read("notes/read.me"))).toBe("x");
    expect(await store.list("")).toContain("read.me");
  });

  test("rejects a backup with a truncated file during verification", async () => {
    const newest = (await listSeries(store)).findLast(({ isFinished }) => isFinished)?.folder ?? "";
    await put(`${newest}/things.bson.gz`, "cut short");
    await expect(run(["verify", `${at.place}/${database}/${newest}`])).rejects.toThrow("things of the backup");
  });

  test("keeps every backup if the newest one is of an emptied database, and explains what to do", async () => {
    await source.collection("things").deleteMany({});
    const before = await folders();
    await expect(run(["add"], 1)).rejects.toThrow(/no backup is removed; see that MONGODB_URI/);
    await expect(run(["add"], 1)).rejects.toThrow(/no backup is removed/);
    expect(await folders()).toEqual(expect.arrayContaining(before));
  });
});

test("does not publish a file that could not be written completely", async () => {
  const folder = await mkdtemp(join(tmpdir(), "backup-series-"));
  const store = openBackupStore(folder, noS3);
  const failing = Readable.from(
    (async function* () {
      yield Buffer.from("half");
      throw new Error("the source failed");
    })(),
  );
  await expect(store.write("a/file", failing)).rejects.toThrow("the source failed");
  expect(await readdir(join(folder, "a"))).not.toContain("file");
  await rm(folder, { recursive: true });
});
