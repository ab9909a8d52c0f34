import { connectGrpc } from "@platform/kit/rpc/client";
import { connectMongo } from "@platform/kit/store/schema";
import { UsageAdminService } from "@platform/proto/operator/v1/usage_admin";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";

import { createNotifyEraser } from "../src/store/erase-notify.ts";
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
beforeAll(async () => {
  stack = await startNotifyStack();
});
afterAll(() => stack.close());

/** The history without the parts that differ from run to run. */
async function historyOf(endpointId: string) {
  const { history } = await stack.endpointAdmin.getEndpoint({ endpointId }, callOf(""));
  return history.map(({ what, by, purpose, detail }) => [what, by, ...[purpose, detail].filter((text) => text)]);
}

it("lists an endpoint's changes by its project, by its owner's link and by an operator, each with its request", async () => {
  const { clientId, profileId } = await prepareClient(stack, "email");
  const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId);
  const deliveryId = await send(stack, "email", { clientId, profileId, endpointId }, { marketingPurpose: "news" });
  const worker = await stack.startWorker();
  await finished(stack, clientId, deliveryId);
  await worker.close();
  const [mail] = await stack.sink.messages({ channel: "email", to: address });
  const [, path = ""] =
    /https:\/\/gateway\.example(\/api\/v1\/unsubscribe\/[0-9a-f]{64})/.exec(mail?.headers["list-unsubscribe"] ?? "") ??
    [];
  expect((await fetch(stack.httpUrl + path, { method: "POST" })).status).toBe(200);
  const restoring = callOf("");
  await stack.endpointAdmin.restoreConsent({ endpointId, purpose: "news" }, restoring);
  await stack.endpointAdmin.revokeEndpoint({ endpointId }, callOf(""));
  await stack.endpointAdmin.revokeEndpoint({ endpointId }, callOf(""));
  expect(await historyOf(endpointId)).toEqual([
    ["registered", "project"],
    ["verified", "project"],
    ["consent_withdrawn", "owner", "news"],
    ["consent_granted", "operator", "news"],
    ["revoked", "operator", "revoked_by_operator"],
  ]);
  const { history } = await stack.endpointAdmin.getEndpoint({ endpointId }, callOf(""));
  expect(history[2]?.deliveryId).toBe(deliveryId);
  expect(history[3]?.correlationId).toBe(restoring.context.correlationId);
  const times = history.map(({ at }) => Number(at?.seconds));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

it("records that the provider no longer knows the address, together with the refused delivery", async () => {
  const { clientId, profileId } = await prepareClient(stack, "fcm");
  const worker = await stack.startWorker();
  const { endpointId, address } = await verifiedEndpoint(stack, "fcm", clientId);
  stack.sink.setFault({ channel: "fcm", to: address, kind: "unregistered", times: 100 });
  const deliveryId = await send(stack, "fcm", { clientId, profileId, endpointId });
  await finished(stack, clientId, deliveryId);
  await worker.close();
  expect((await historyOf(endpointId)).at(-1)).toEqual(["revoked", "provider", "fcm_unregistered"]);
  const { history } = await stack.endpointAdmin.getEndpoint({ endpointId }, callOf(""));
  expect(history.at(-1)?.deliveryId).toBe(deliveryId);
});

it("keeps the latest 50 changes of a consent that is repeatedly given and withdrawn", async () => {
  const { clientId } = await prepareClient(stack, "line");
  const { endpointId } = await verifiedEndpoint(stack, "line", clientId);
  for (let turn = 0; turn < 60; turn += 1) {
    const consent = { endpointId, purpose: "news", granted: turn % 2 === 0 };
    await stack.endpoints.setDeliveryConsent(consent, callOf(clientId));
  }
  const history = await historyOf(endpointId);
  expect(history).toHaveLength(50);
  expect(history.at(-1)).toEqual(["consent_withdrawn", "project", "news"]);
});

it("keeps nothing of an erased person's history except that it was erased", async () => {
  const { clientId } = await prepareClient(stack, "email");
  const { endpointId } = await verifiedEndpoint(stack, "email", clientId, "dora.erased@people.example");
  const connection = await connectMongo({ uri: stack.mongo.uri, database: stack.mongo.database });
  const { signal } = new AbortController();
  await createNotifyEraser(connection).erasePerson(["dora.erased@people.example"], new Date(), signal);
  await connection.close();
  expect(await historyOf(endpointId)).toEqual([["erased", "operator"]]);
});

it("returns an empty history for an endpoint stored before histories were kept", async () => {
  const { clientId } = await prepareClient(stack, "line");
  const { endpointId } = await verifiedEndpoint(stack, "line", clientId);
  const mongo = await MongoClient.connect(stack.mongo.uri);
  const stored = mongo.db(stack.mongo.database).collection<{ _id: string }>("delivery_endpoints");
  await stored.updateOne({ _id: endpointId }, { $unset: { history: "" } });
  await mongo.close();
  expect(await historyOf(endpointId)).toEqual([]);
  await stack.endpointAdmin.revokeEndpoint({ endpointId }, callOf(""));
  expect(await historyOf(endpointId)).toEqual([["revoked", "operator", "revoked_by_operator"]]);
});

it("counts for each client how many endpoints became verified and revoked, by the hour", async () => {
  const { clientId } = await prepareClient(stack, "line");
  const one = await verifiedEndpoint(stack, "line", clientId);
  const { endpointId } = await verifiedEndpoint(stack, "line", clientId);
  await stack.endpoints.revokeDeliveryEndpoint({ endpointId: one.endpointId }, callOf(clientId));
  await stack.endpoints.setDeliveryConsent({ endpointId, purpose: "news", granted: true }, callOf(clientId));
  const operator = connectGrpc({
    address: `127.0.0.1:${stack.server.grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${stack.env.OPERATOR_TOKEN}` },
  });
  const request = { projectClientId: clientId, by: "hour" };
  const counted = await eventually(
    async () => {
      const { counts } = await operator.service(UsageAdminService).listUsage(request, callOf(clientId));
      return counts.length === 2 ? counts.map(({ kind, count }) => [kind, count]) : null;
    },
    { timeoutMs: 60_000, everyMs: 500, what: "the server has reported" },
  );
  expect(counted).toEqual([
    ["endpoints_revoked", 1n],
    ["endpoints_verified", 2n],
  ]);
  operator.close();
});
