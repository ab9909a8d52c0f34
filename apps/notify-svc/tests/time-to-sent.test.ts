import { MeasurementAdminService } from "@platform/proto/operator/v1/measurement_admin";
import { connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  callOf,
  finished,
  type NotifyStack,
  prepareClient,
  send,
  startNotifyStack,
  verifiedEndpoint,
} from "./notify-stack.ts";

let stack: NotifyStack;
let operator: GrpcConnection;
beforeAll(async () => {
  stack = await startNotifyStack();
  const metadata = { authorization: `Bearer ${stack.env.OPERATOR_TOKEN}` };
  operator = connectGrpc({ address: `127.0.0.1:${stack.server.grpcPort}`, tls: null, metadata });
});
afterAll(async () => {
  operator.close();
  await stack.close();
});

it("keeps each client's time from acceptance to the provider's yes, by channel", async () => {
  const { clientId, profileId } = await prepareClient(stack, "email");
  const { endpointId } = await verifiedEndpoint(stack, "email", clientId);
  const worker = await stack.startWorker();
  const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
  expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent" });
  // It reports at its end.
  await worker.close();
  const request = { projectClientId: clientId, names: ["time_to_sent"] };
  const { slots } = await operator.service(MeasurementAdminService).listMeasurements(request, callOf(clientId));
  const sums = slots.flatMap(({ measurements }) => measurements.map(({ labels, sum }) => ({ ...labels, sum })));
  expect(sums).toContainEqual({ channel: "email", le_ms: "inf", sum: 1 });
  expect(sums).toContainEqual({ channel: "email", le_ms: "86400000", sum: 1 });
});
