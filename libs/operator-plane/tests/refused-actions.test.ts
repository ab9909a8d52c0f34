import { createMetrics, silentLogger } from "@platform/kit/process/telemetry";
import { dependencyUnavailable, ServiceError } from "@platform/kit/rpc/errors";
import { buildIndexes, connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createOperatorActionStore, type OperatorActionStore } from "../src/operators/operator-actions.ts";
import { type AppendAction, type OperatorRelay, startOperatorRelay } from "../src/operators/relay.ts";

const startMs = Date.parse("2026-03-01T12:00:00Z");
let mongo: TestMongo;
let connection: MongoConnection;
let store: OperatorActionStore;
let nowMs: number;
let relay: OperatorRelay | null = null;
/** People whose actions were appended to the chain, in this order. */
let chained: string[];

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  store = createOperatorActionStore(connection);
  await buildIndexes(connection);
});
beforeEach(async () => {
  nowMs = startMs;
  chained = [];
  await connection.collection("operator_actions").deleteMany({});
});
afterEach(async () => {
  await relay?.stop();
  relay = null;
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

/** Records a finished action of a person, a second after the previous one. */
async function act(who: string): Promise<void> {
  nowMs += 1_000;
  const at = new Date(nowMs);
  const { id } = await store.begin(
    {
      ...{ at, who, name: who, roles: ["operator"], rpc: "projectintegration.files.v1.FilesAdminService/Do" },
      ...{ client_id: null, resource: null, reason: null, correlation_id: "c", request_json: "{}", via: null },
      asked_by: null,
    },
    at,
  );
  await store.settle(id, { outcome: "succeeded", error: null, client_id: null, resource: null }, at);
}

/** Starts a relay whose chain appends what `check` does not throw for. */
function start(check: (who: string) => void) {
  const { registry } = createMetrics("test", { processMetrics: false });
  const append: AppendAction = async ({ who }) => {
    check(who);
    chained.push(who);
  };
  relay = startOperatorRelay({ store, append, logger: silentLogger(), clock: () => new Date(nowMs), registry });
  return registry;
}

const refuse = (): never => {
  throw new ServiceError("contract_violation", "who must have at most 255 characters");
};

it("chains later actions although the chain refuses the oldest one (operator with an unusable subject)", async () => {
  await act("x".repeat(300));
  await act("ann");
  await act("bob");
  start((who) => who.length > 255 && refuse());
  await eventually(() => chained.length === 2);
  expect(chained).toEqual(["ann", "bob"]);
});

it("shows the age of an action that is refused, and chains it once it is accepted", async () => {
  let isAccepted = false;
  await act("ann");
  const registry = start(() => isAccepted || refuse());
  const ageSeconds = async (): Promise<number> => {
    const gauge = await registry.getSingleMetric("platform_operator_actions_oldest_unchained_seconds")?.get();
    return gauge?.values[0]?.value ?? Number.NaN;
  };
  const postponed = { put_off_until: { $gt: new Date(nowMs) } };
  await eventually(async () => (await connection.collection("operator_actions").countDocuments(postponed)) === 1);
  nowMs += 20_000;
  relay?.notify();
  await eventually(async () => (await ageSeconds()) === 20);
  nowMs += 20_000;
  isAccepted = true;
  relay?.notify();
  await eventually(() => chained.length === 1);
  await eventually(async () => (await ageSeconds()) === 0);
});

it("tries an action again as long as the chain is unavailable, and postpones nothing", async () => {
  let isDown = true;
  await act("ann");
  await act("bob");
  start(() => {
    if (!isDown) return;
    isDown = false;
    throw dependencyUnavailable();
  });
  await eventually(() => chained.length === 2);
  expect(chained.toSorted()).toEqual(["ann", "bob"]);
  expect(await connection.collection("operator_actions").countDocuments({ put_off_until: { $exists: true } })).toBe(0);
});

it("sends 50 actions to the chain at the same time, and each of them once", async () => {
  for (let index = 0; index < 120; index += 1) await act(`person-${index}`);
  const { registry } = createMetrics("test", { processMetrics: false });
  let [sending, most] = [0, 0];
  const append: AppendAction = async ({ who }) => {
    sending += 1;
    most = Math.max(most, sending);
    await connection.collection("operator_actions").findOne({ who });
    sending -= 1;
    chained.push(who);
  };
  relay = startOperatorRelay({ store, append, logger: silentLogger(), clock: () => new Date(nowMs), registry });
  const unchained = () =>
    connection.collection("operator_actions").countDocuments({ unchained_since: { $exists: true } });
  await eventually(async () => (await unchained()) === 0);
  expect(most).toBe(50);
  expect(new Set(chained).size).toBe(120);
  expect(chained).toHaveLength(120);
});
