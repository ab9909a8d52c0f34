import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorCall } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

let bed: SubscriptionBed;
let operator: GrpcConnection;

beforeAll(async () => {
  bed = await startSubscriptionBed({}, { hasWorker: false });
  const metadata = { authorization: `Bearer ${bed.server.config.operatorToken}` };
  operator = connectGrpc({ address: `127.0.0.1:${bed.server.grpcPort}`, tls: null, metadata });
});
afterAll(async () => {
  operator.close();
  await bed.close();
});

test("lists every action on a client's resources under that client, even failed ones and deletions", async () => {
  const clientId = await bed.identity.createClient();
  const { id: subscriptionId, operationId } = await bed.subscribe(clientId, { from: 0 });
  const { scheduleAdmin, subscriptions, runAdmin } = bed.server;
  const call = operatorCall();
  await bed.setCron(operationId, "0 3 * * *");
  await scheduleAdmin.setScheduledOperationOverlap({ operationId, overlap: "skip" }, call);
  await runAdmin.rotateScheduledSecret({ operationId, secret: "s".repeat(40) }, call);
  const invocationId = await bed.invoke(operationId);
  await bed.redrive(invocationId).catch(() => undefined);
  await scheduleAdmin.disableScheduledOperation({ operationId }, call);
  await expect(bed.invoke(operationId)).rejects.toThrow();
  await scheduleAdmin.enableScheduledOperation({ operationId }, call);
  await subscriptions.deleteSubscription({ subscriptionId }, call);
  const { actions } = await operator
    .service(OperatorActionAdminService)
    .listOperatorActions({ clientId, limit: 50 }, operatorCall());
  const acts = actions.map(({ rpc, outcome }) => `${rpc.split("/")[1]} ${outcome}`);
  // The test's clock does not advance, so the order of the actions is undefined.
  expect(acts.sort()).toEqual(
    [
      "CreateSubscription succeeded",
      "SetScheduledOperationCron succeeded",
      "SetScheduledOperationOverlap succeeded",
      "RotateScheduledSecret succeeded",
      "InvokeScheduledOperation succeeded",
      "RedriveScheduledRun failed",
      "DisableScheduledOperation succeeded",
      "InvokeScheduledOperation failed",
      "EnableScheduledOperation succeeded",
      "DeleteSubscription succeeded",
    ].sort(),
  );
});
