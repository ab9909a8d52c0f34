import { newId } from "@platform/kit/process/secrets";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callOf, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
});
afterAll(() => stack.close());

it("sends marketing emails again once consent is restored after an unsubscription", async () => {
  const { clientId: id, profileId } = await prepareClient(stack, "email");
  const { endpointId, address } = await verifiedEndpoint(stack, "email", id);
  const mail = () => send(stack, "email", { clientId: id, profileId, endpointId }, { marketingPurpose: "news" });
  const worker = await stack.startWorker();
  await mail();
  const [arrived] = await stack.sink.messages({ channel: "email", to: address, count: 1, waitMs: 15_000 });
  await worker.close();
  const path = /unsubscribe\/[0-9a-f]{64}/.exec(String(arrived?.headers["list-unsubscribe"]))?.[0];
  await fetch(`${stack.httpUrl}/api/v1/${path}`, { method: "POST", body: "List-Unsubscribe=One-Click" });
  await expect(mail()).rejects.toMatchObject({ code: "consent_withdrawn" });
  const restored = await stack.endpointAdmin.restoreConsent({ endpointId, purpose: "news" }, callOf(id));
  expect(restored.endpoint?.consents).toMatchObject([{ purpose: "news", granted: true }]);
  expect(await mail()).toMatch(/^[0-9a-f-]{36}$/);
});

it("refuses to restore consent that was never withdrawn", async () => {
  const { clientId: id } = await prepareClient(stack, "email");
  const { endpointId } = await verifiedEndpoint(stack, "email", id);
  await expect(stack.endpointAdmin.restoreConsent({ endpointId, purpose: "news" }, callOf(id))).rejects.toMatchObject({
    code: "contract_violation",
    details: { violations: [{ path: "/purpose" }] },
  });
  await expect(
    stack.endpointAdmin.restoreConsent({ endpointId: newId(), purpose: "news" }, callOf(id)),
  ).rejects.toMatchObject({ code: "delivery_endpoint_not_found" });
});
