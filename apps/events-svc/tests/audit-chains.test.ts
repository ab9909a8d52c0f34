import { newId } from "@platform/kit/process/secrets";
import { createLogger } from "@platform/kit/process/telemetry";
import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { AuditChainAdminService } from "@platform/proto/events/v1/audit_chain_admin";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { callFor, operatorCall, startTestServer, testConfig } from "./fixture.ts";

let mongo: TestMongo;
let driver: MongoClient;
let server: Awaited<ReturnType<typeof startTestServer>>;
let operator: GrpcConnection;
const lines: { msg: string; project_client_id?: string }[] = [];
const logger = createLogger("events-worker", "info", { write: (line) => void lines.push(JSON.parse(line)) });

beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
  server = await startTestServer(mongo);
  const metadata = { authorization: `Bearer ${server.config.operatorToken}` };
  operator = connectGrpc({ address: `127.0.0.1:${server.grpcPort}`, tls: null, metadata });
});
afterAll(async () => {
  operator.close();
  await server.close();
  await driver.close();
  await mongo.close();
});

const append = async (clientId: string, count = 1): Promise<void> => {
  const fact = { actorId: "a", action: "a.b", resourceType: "c.d", resourceId: "r", outcome: "succeeded" };
  for (let made = 0; made < count; made += 1) await server.audits.createProjectAudit(fact, callFor(clientId));
};
const list = (request: object = {}) =>
  operator.service(AuditChainAdminService).listAuditChains(request, operatorCall());
const chainOf = async (projectClientId: string) => {
  const chain = (await list({ projectClientId })).chains[0];
  if (chain === undefined) throw new Error("the chain is not listed");
  const { state, length, verifiedSeq, brokenAtSeq, reason, verifiedAt } = chain;
  const on = verifiedAt === undefined ? null : new Date(Number(verifiedAt.seconds) * 1000).toISOString().slice(0, 10);
  return { state, length: Number(length), verified: Number(verifiedSeq), broken: Number(brokenAtSeq), reason, on };
};
/** Runs two workers until the condition holds. Their clocks show the given time. */
async function workAt(time: string, isSo: (probeUrl: string) => Promise<boolean>): Promise<void> {
  const overrides = { logger, clock: () => new Date(time) };
  const workers = await Promise.all([1, 2].map(() => createEventsWorker(testConfig(mongo), overrides)));
  await eventually(() => isSo(`http://127.0.0.1:${workers[0]?.probePort}`), {
    what: `what is done at ${time}`,
  }).finally(() => Promise.all(workers.map((worker) => worker.close())));
}

test("verifies every chain once per UTC day, and reports up to which record it is valid or at which it is broken", async () => {
  const [sound, altered] = [newId(), newId()];
  await Promise.all([append(sound, 2), append(altered, 3)]);
  expect(await chainOf(sound)).toMatchObject({ state: "not_verified", length: 2, on: null });

  const ids = [sound, altered];
  const statesAre =
    (...states: string[]) =>
    async () =>
      (await Promise.all(ids.map(chainOf))).every(({ state }, index) => state === states[index]);
  await workAt("2026-01-31T09:00:00Z", statesAre("holds", "holds"));
  expect(await chainOf(sound)).toMatchObject({ state: "holds", verified: 2, on: "2026-01-31" });
  await append(sound);
  const records = driver.db(mongo.database).collection("project_audits");
  await records.updateOne({ project_client_id: altered, seq: 2 }, { $set: { actor_id: "someone else" } });
  expect(await chainOf(altered)).toMatchObject({ state: "holds", verified: 3 });

  await workAt("2026-02-01T00:00:10Z", statesAre("holds", "broken"));
  expect(await chainOf(altered)).toMatchObject({ verified: 1, broken: 2, reason: "record_altered", on: "2026-02-01" });
  expect(await chainOf(sound)).toMatchObject({ state: "holds", length: 3, verified: 3, on: "2026-02-01" });
  expect(
    lines.filter(({ msg }) => msg === "the chain of Project Audits is broken").map((line) => line.project_client_id),
  ).toContain(altered);
});

test("exports the number of broken chains and the longest time without verification as metrics", async () => {
  const clientId = newId();
  await append(clientId);
  // The previous test altered a chain, which is still broken.
  await workAt("2026-03-01T00:00:00Z", async (probeUrl) => {
    const metrics = await (await fetch(`${probeUrl}/metrics`)).text();
    return (
      /^platform_events_audit_chains_broken\{[^}]*\} 1$/m.test(metrics) &&
      /^platform_events_audit_chain_unverified_seconds\{[^}]*\} \d+$/m.test(metrics)
    );
  });
});

test("lists chains page by page", async () => {
  await append(newId());
  const { chains, nextCursor } = await list({ limit: 1 });
  const { chains: others } = await list({ limit: 200, cursor: nextCursor });
  const ids = [...chains, ...others].map(({ projectClientId }) => projectClientId);
  expect(chains).toHaveLength(1);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual([...ids].sort());
});
