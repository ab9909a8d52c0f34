import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { MeasurementAdminService } from "@platform/proto/operator/v1/measurement_admin";
import { connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import { silentLogger } from "@platform/service-kit/process/logger";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { operatorCall } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

let bed: SubscriptionBed;
let operator: GrpcConnection;
beforeAll(async () => {
  bed = await startSubscriptionBed();
  const metadata = { authorization: `Bearer ${bed.server.config.operatorToken}` };
  operator = connectGrpc({ address: `127.0.0.1:${bed.server.grpcPort}`, tls: null, metadata });
});
afterAll(async () => {
  operator.close();
  await bed.close();
});

test("keeps how far each consumer is behind its client's log, by hour", async () => {
  const projectClientId = await bed.identity.createClient();
  const admin = operator.service(ConsumerAdminService);
  const { consumer } = await admin.issueConsumer({ projectClientId, name: "reports" }, operatorCall());
  for (const type of ["one", "two", "three"]) await bed.publish(projectClientId, type);
  await eventually(
    async () => (await admin.listConsumers({ projectClientId }, operatorCall())).consumers[0]?.lag === 3n,
    { what: "the events have positions" },
  );
  // A worker looks at its start, and reports at its end.
  const overrides = { logger: silentLogger(), clock: bed.now };
  await (await createEventsWorker(readServerConfig(bed.env), overrides)).close();
  const { slots } = await operator
    .service(MeasurementAdminService)
    .listMeasurements({ projectClientId, names: ["consumer_lag"] }, operatorCall());
  expect(slots.map(({ measurements }) => measurements.map(({ labels, latest }) => ({ labels, latest })))).toEqual([
    [{ labels: { consumer: consumer?.id }, latest: 3 }],
  ]);
});
