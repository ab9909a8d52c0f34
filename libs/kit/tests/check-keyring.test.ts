import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import type { Connection } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createHealth } from "../src/process/health.ts";
import { createLogger } from "../src/process/logger.ts";
import { type Keyring, keyIdOf } from "../src/process/sealed.ts";
import { checkKeyring } from "../src/store/check-keyring.ts";
import { connectMongo } from "../src/store/connect.ts";

let mongo: TestMongo;
let connection: Connection;

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
});
beforeEach(async () => {
  await connection.collection("keyring_checks").deleteMany({});
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const ring = (current: number, ...previous: number[]): Keyring => ({
  current: keyOf(current),
  previous: previous.map(keyOf),
});

/** Starts a service with these keys. Returns the messages that it logs. */
async function start(keyring: Keyring): Promise<{ messages: string[]; notes: readonly string[] }> {
  const messages: string[] = [];
  const logger = createLogger("x-svc", "info", { write: (line) => void messages.push(JSON.parse(line).msg) });
  const health = createHealth();
  await checkKeyring(connection, keyring, { logger, health });
  return { messages, notes: health.notes() };
}

const silent = { messages: [], notes: [] };

test("logs nothing at the first start, nor at a restart with the same keys", async () => {
  expect(await start(ring(1))).toEqual(silent);
  expect(await start(ring(1))).toEqual(silent);
});

test("logs which variable to set if the keys belong to another stack", async () => {
  await start(ring(1));
  const { messages, notes } = await start(ring(2));
  expect(messages).toHaveLength(1);
  for (const part of [keyIdOf(keyOf(1)), "SERVICE_KEY_PREVIOUS", "MONGODB_DATABASE_PREFIX"])
    expect(messages[0]).toContain(part);
  expect(messages[0]).not.toContain("\n");
  expect(notes).toEqual([`keyring: ${messages[0]}`]);
  // The correct keys still decrypt the document, so starting with the wrong keys did not replace it.
  expect(await start(ring(1))).toEqual(silent);
});

test("decrypts the document with the new key after a rotation has removed the previous key", async () => {
  await start(ring(1));
  expect(await start(ring(2, 1))).toEqual(silent);
  expect(await start(ring(2))).toEqual(silent);
  expect((await start(ring(1))).messages).toHaveLength(1);
});

test("stores one document when many processes start concurrently", async () => {
  expect(await Promise.all(Array.from({ length: 20 }, () => start(ring(1))))).toEqual(Array(20).fill(silent));
  expect(await connection.collection("keyring_checks").countDocuments()).toBe(1);
});
