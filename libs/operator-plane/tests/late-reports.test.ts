import { randomUUID } from "node:crypto";
import { connectMongo } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createUsageStore } from "../src/usage/usage-counts.ts";

let mongo: TestMongo;
let connection: Awaited<ReturnType<typeof connectMongo>>;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const at = new Date("2026-07-01T09:00:00Z");
const since = new Date("2026-07-01T00:00:00Z");
const reporterId = "a".repeat(32);

it("removes the usage of an erased client that a late report adds, and keeps that of other clients", async () => {
  const store = createUsageStore(connection);
  const [erased, other] = [randomUUID(), randomUUID()];
  const report = (sequence: number) =>
    store.record({
      reporterId,
      sequence,
      counts: [erased, other].map((ownerId) => ({ ownerId, kind: "requests", hour: at, count: 2 })),
    });
  await report(1);
  expect(await store.forget(erased)).toBe(1);
  expect(await store.forget(erased)).toBe(0);
  await report(2);
  expect(await store.list(erased, null, since, "hour")).toEqual([]);
  expect(await store.list(other, null, since, "hour")).toEqual([{ at, kind: "requests", count: 4 }]);
});
