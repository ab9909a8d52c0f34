import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

/**
 * Maximum time in milliseconds until an announced change takes effect: one second, and more for a busy machine. Without
 * the announcement, it would take at least four seconds.
 */
const pushMs = 3_500;
let bed: SubscriptionBed;
let second: Awaited<ReturnType<typeof createEventsWorker>>;
let clock: NodeJS.Timeout;

beforeAll(async () => {
  bed = await startSubscriptionBed();
  // The test's clock keeps running, so that runs that are postponed while Redis is unavailable become due again.
  clock = setInterval(() => bed.advance(1), 1_000);
  second = await createEventsWorker(readServerConfig(bed.env), { logger: silentLogger(), clock: bed.now });
});
afterAll(async () => {
  clearInterval(clock);
  await second.close();
  await bed.close();
});

/** Waits until a worker has claimed an invocation, and returns its result. */
async function statusOfRun(operationId: string): Promise<string> {
  const id = await bed.invoke(operationId);
  const isOver = (run: { id: string; status: string }) =>
    run.id === id && ["succeeded", "skipped"].includes(run.status);
  return (await bed.runWhen(operationId, isOver)).status;
}
/** Creates eight runs, so that each of the two workers claims some of them. */
const statusesOfRuns = (operationId: string) => Promise.all(Array.from({ length: 8 }, () => statusOfRun(operationId)));

async function subscribedClient() {
  const clientId = await bed.identity.createClient();
  const { id } = await bed.subscribe(clientId);
  const operationId = await bed.register(clientId, { url: `${bed.target.url}/runs-of-${clientId}` });
  await bed.publish(clientId, "order.placed");
  await bed.arrived(clientId, 1);
  return { clientId, subscriptionId: id, operationId };
}

async function stopsAndGoesOn(disable: (clientId: string) => Promise<unknown>, withinMs: number): Promise<void> {
  const { clientId, subscriptionId, operationId } = await subscribedClient();
  const other = await subscribedClient();
  expect(new Set(await statusesOfRuns(operationId))).toEqual(new Set(["succeeded"]));

  await disable(clientId);
  await eventually(async () => (await statusesOfRuns(operationId)).every((status) => status === "skipped"), {
    timeoutMs: withinMs,
    what: "all runs skipped",
  });
  const callsBefore = bed.target.arrivalsAt(`/${clientId}`).length;
  await bed.publish(clientId, "order.placed");
  // Another client publishes an event later. Once it has been delivered, this client's event must have been due as
  // well.
  await bed.publish(other.clientId, "order.placed");
  await bed.arrived(other.clientId, 2);
  expect(bed.target.arrivalsAt(`/${clientId}`)).toHaveLength(callsBefore);
  expect((await bed.show(subscriptionId)).status).toBe("active");

  await bed.identity.enableClient(clientId);
  await bed.arrived(clientId, callsBefore + 1);
  await eventually(async () => (await statusesOfRuns(operationId)).every((status) => status === "succeeded"), {
    what: "all runs made again",
  });
}

test("skips runs and keeps events of a disabled client at two workers within a second, and resumes once it is enabled", () =>
  stopsAndGoesOn((clientId) => bed.identity.disableClient(clientId), pushMs));

test("stops two workers within ten seconds when Redis loses the announcement", () =>
  stopsAndGoesOn(async (clientId) => {
    await bed.redis.kill();
    await bed.identity.disableClient(clientId);
    await bed.redis.start();
  }, 10_000));
