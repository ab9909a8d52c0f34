import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startEmbeddedMongo } from "@platform/embedded-mongo";
import { startTestMongo } from "@platform/test-kit/mongo";
import type { Connection } from "mongoose";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { connectMongo } from "../src/store/connect.ts";
import { databaseClock } from "../src/store/database-clock.ts";

const hourMs = 3_600_000;
/** Readings are 5 ms apart in this test, or more on a busy machine. */
const patiently = { timeout: 20_000, interval: 5 };

/** Returns the machine's time, even while Date has another time in this process. */
const trueMs = (): number => performance.timeOrigin + performance.now();
const errorMs = (clock: () => Date): number => Math.abs(clock().getTime() - trueMs());
const setClock = (aheadMs: number): void => void vi.useFakeTimers({ toFake: ["Date"], now: trueMs() + aheadMs });

afterEach(() => void vi.useRealTimers());

/** Returns a function that waits until the clock has been read a few more times. */
function looksOf(connection: Connection): () => Promise<void> {
  const admin = vi.spyOn(connection.db as NonNullable<typeof connection.db>, "admin");
  return () => {
    const before = admin.mock.calls.length;
    return vi.waitFor(() => expect(admin.mock.calls.length).toBeGreaterThan(before + 3), patiently);
  };
}

/** Connects to a database in another process, which has its own clock. */
async function connectElsewhere() {
  const main = fileURLToPath(new URL("../../../tools/embedded-mongo/src/main.ts", import.meta.url));
  const child = spawn(process.execPath, [main], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const connection = await connectMongo({ uri: line.replace("listening ", ""), database: "clock" });
  onTestFinished(() => connection.close());
  return connection;
}

test("returns the database's time when the machine's clock is an hour ahead", async () => {
  const connection = await connectElsewhere();
  setClock(hourMs);
  expect(errorMs(await databaseClock(connection))).toBeLessThan(1_000);
});

test("ignores a machine clock that is set back while the process runs", async () => {
  const connection = await connectElsewhere();
  const looked = looksOf(connection);
  const clock = await databaseClock(connection, 5);
  setClock(-hourMs);
  await looked();
  expect(errorMs(clock)).toBeLessThan(1_000);
});

test("follows changes of the database's time", async () => {
  const mongo = await startEmbeddedMongo();
  onTestFinished(() => mongo.close());
  const connection = await connectMongo({ uri: mongo.uri, database: "clock" });
  onTestFinished(() => connection.close());
  const clock = await databaseClock(connection, 5);
  expect(errorMs(clock)).toBeLessThan(1_000);
  // The database of this test runs in the test's own process and therefore uses its clock.
  setClock(hourMs);
  await vi.waitFor(() => expect(Math.abs(clock().getTime() - trueMs() - hourMs)).toBeLessThan(1_000), patiently);
});

test("keeps the last offset while the database does not respond", async () => {
  const mongo = await startTestMongo();
  const connection = await connectMongo(mongo);
  onTestFinished(() => connection.close());
  const clock = await databaseClock(connection, 5);
  const admin = vi.spyOn(connection.db as NonNullable<typeof connection.db>, "admin");
  admin.mockImplementation(() => {
    throw new Error("gone");
  });
  await mongo.close();
  await vi.waitFor(() => expect(admin.mock.calls.length).toBeGreaterThan(3), patiently);
  expect(errorMs(clock)).toBeLessThan(1_000);
});
