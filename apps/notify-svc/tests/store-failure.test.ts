import { newId } from "@platform/kit/process/secrets";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callOf, type NotifyStack, prepareClient, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
});
afterAll(() => stack.close());

it("returns dependency_unavailable while an intent cannot be stored, and creates one delivery when it is repeated", async () => {
  const { clientId, profileId } = await prepareClient(stack, "email");
  const { endpointId } = await verifiedEndpoint(stack, "email", clientId);
  const request = {
    senderProfileId: profileId,
    templateKey: "shipped",
    locale: "en",
    endpointId,
    variablesJson: '{"number":7,"name":"Ann"}',
  };
  const create = () => stack.notifications.createNotificationIntent(request, callOf(clientId, "key"));
  stack.mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1_000 });
  await expect(create()).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  stack.mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1, isDone: true });
  // The gateway lets one request of a key pass at a time, and repeats can only arrive together after Redis has lost the
  // claim of the key.
  const replies = await Promise.all(Array.from({ length: 3 }, create));
  expect(new Set(replies.map(({ intent }) => intent?.deliveryId)).size).toBe(1);
  expect(replies.filter(({ replayed }) => !replayed)).toHaveLength(1);
});

it("replaces a catalog although a concurrent update came first", async () => {
  const clientId = newId();
  stack.mongo.fail({
    command: "insert",
    collection: "catalogs",
    code: 11000,
    message: "Duplicate key violation",
    times: 1,
  });
  await stack.admin.applyCatalog({ projectClientId: clientId, templates: [] }, callOf(clientId));
  expect(stack.mongo.failures()).toBe(1);
});
