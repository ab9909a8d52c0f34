import { newId } from "@platform/kit/process/secrets";
import { createLogger } from "@platform/kit/process/telemetry";
import { platformLogId } from "@platform/operator-plane/platform-events";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { callFor, operatorCall, startTestServer, testConfig } from "./fixture.ts";

let mongo: TestMongo;
let server: Awaited<ReturnType<typeof startTestServer>>;
const lines: { msg: string; project_client_id?: string; audit_head?: string; audit_length?: number }[] = [];
const logger = createLogger("events-worker", "info", { write: (line) => void lines.push(JSON.parse(line)) });

beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestServer(mongo);
});
afterAll(async () => {
  await server.close();
  await mongo.close();
});

const append = async (clientId: string): Promise<void> => {
  const fact = { actorId: "a", action: "a.b", resourceType: "c.d", resourceId: "r", outcome: "succeeded" };
  await server.audits.createProjectAudit(fact, callFor(clientId));
};
const headOf = async (clientId: string): Promise<string | undefined> =>
  (await server.auditAdmin.listProjectAudits({ projectClientId: clientId }, operatorCall())).audits.at(-1)?.hash;

/** The first events of the platform's own log; `count` is their number. */
async function platformEvents(count: number): Promise<unknown[]> {
  const found: unknown[] = [];
  const request = { projectClientId: platformLogId, afterPosition: 0n };
  for await (const { event } of server.consumer.readEvents(request, operatorCall(AbortSignal.timeout(60_000)))) {
    found.push({ type: event?.type, ...JSON.parse(event?.dataJson ?? "{}") });
    if (found.length === count) return found;
  }
  return found;
}

/** Runs the daily export in two workers. */
async function workAt(time: string, until: () => Promise<unknown>): Promise<void> {
  const overrides = { logger, clock: () => new Date(time) };
  const workers = await Promise.all([1, 2].map(() => createEventsWorker(testConfig(mongo), overrides)));
  await until();
  await Promise.all(workers.map((worker) => worker.close()));
}

test("exports the head of every chain once a day, as a log line and as a platform event", async () => {
  const [one, two] = [newId(), newId()];
  await Promise.all([append(one), append(two)]);
  const first = [await headOf(one), await headOf(two)];
  const exported = () => lines.filter(({ msg }) => msg === "audit head");
  await workAt("2026-01-31T09:00:00Z", () => platformEvents(2));
  await append(one);
  await workAt("2026-01-31T23:00:00Z", async () => {});
  expect(exported()).toHaveLength(2);
  await workAt("2026-02-01T00:00:01Z", () => platformEvents(4));

  const expected = [
    { project_client_id: one, length: 1, head: first[0] },
    { project_client_id: two, length: 1, head: first[1] },
    { project_client_id: one, length: 2, head: await headOf(one) },
    { project_client_id: two, length: 1, head: first[1] },
  ];
  const inOrder = (heads: readonly unknown[]) => heads.map((head) => JSON.stringify(head)).sort();
  expect(inOrder(await platformEvents(4))).toEqual(
    inOrder(expected.map((head) => ({ type: "platform.audit_head", ...head }))),
  );
  expect(
    inOrder(
      exported().map((line) => ({
        project_client_id: line.project_client_id,
        length: line.audit_length,
        head: line.audit_head,
      })),
    ),
  ).toEqual(inOrder(expected));
});
