import { connectMongo } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import type { Connection } from "mongoose";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createMachineTokens, type MachineTokens } from "../src/machines/machine-tokens.ts";

let mongo: TestMongo;
let connection: Connection;
let tokens: MachineTokens;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  tokens = createMachineTokens(connection, { model: "Machine", collection: "machines", prefix: "ptest" });
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const now = new Date("2026-11-01T00:00:00Z");

test("reads a machine once for 200 calls that it makes at the same time, so that they cannot crowd out other reads", async () => {
  const { machine, token } = await tokens.issue("client", "reports", now);
  const forged = `${token.slice(0, -64)}${"0".repeat(64)}`;
  let verified: unknown[] = [];
  const reads = await mongo.filters(["machines"], async () => {
    verified = await Promise.all([...Array<string>(200).fill(token), forged].map((one) => tokens.verify(one, now)));
  });
  expect(reads).toHaveLength(1);
  expect(verified.slice(0, 200)).toEqual(Array(200).fill(machine));
  expect(verified.at(-1)).toBeNull();
});

test("rejects a token from the moment at which its machine is revoked, even while an earlier read is open", async () => {
  const { machine, token } = await tokens.issue("client", "reports", now);
  const collection = connection.model("Machine").collection;
  const findOne = collection.findOne.bind(collection);
  const [hasRead, mayReturn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = vi.spyOn(collection, "findOne").mockImplementationOnce(async (...query: unknown[]) => {
    const found = await findOne(...(query as Parameters<typeof findOne>));
    hasRead.resolve();
    await mayReturn.promise;
    return found;
  });
  onTestFinished(() => held.mockRestore());
  const earlier = tokens.verify(token, now);
  await hasRead.promise;
  await tokens.revoke(machine.id, now);
  const later = tokens.verify(token, now);
  mayReturn.resolve();
  expect(await earlier).toEqual(machine);
  expect(await later).toBeNull();
});
