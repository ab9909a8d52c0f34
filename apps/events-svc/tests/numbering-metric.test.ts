import { newId } from "@platform/kit/process/secrets";
import { createMetrics, silentLogger } from "@platform/kit/process/telemetry";
import { connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import { expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { eventModels } from "../src/store/domain-event-model.ts";
import { watchNumbering } from "../src/worker/watch-numbering.ts";
import { callFor, startTestMongo, startTestServer, testConfig } from "./fixture.ts";

test("exports how long the oldest event has waited for its position, and 0 once all are numbered", async () => {
  const mongo = await startTestMongo();
  const server = await startTestServer(mongo);
  const connection = await connectMongo(mongo);
  const models = eventModels(connection);
  /** The first value that a worker exports if it starts now and its clock is ahead by this time. */
  const ageAfter = async (aheadMs: number): Promise<number> => {
    const metrics = createMetrics("test", { processMetrics: false });
    const clock = () => new Date(Date.now() + aheadMs);
    const watch = watchNumbering(models, { logger: silentLogger(), clock, metrics });
    await watch.stop();
    return Number(/^platform_events_oldest_unnumbered_seconds\S* (\S+)$/m.exec(await metrics.registry.metrics())?.[1]);
  };
  const clientId = newId();
  const publish = () =>
    server.events.publishDomainEvent({ type: "order.placed", schemaVersion: 1, dataJson: "{}" }, callFor(clientId));
  await publish();
  await publish();
  expect(await ageAfter(60_000)).toBeGreaterThanOrEqual(60);
  const worker = await createEventsWorker(testConfig(mongo), { logger: silentLogger() });
  await eventually(async () => (await ageAfter(60_000)) === 0, { what: "both have a position" });
  await worker.close();
  await connection.close();
  await server.close();
  await mongo.close();
});
