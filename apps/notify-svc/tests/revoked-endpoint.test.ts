import { newId } from "@platform/kit/process/secrets";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("a revoked endpoint", () => {
  it.each(["email", "line"] as const)(
    "sends nothing more to an %s endpoint, not even queued messages",
    async (channel) => {
      const { clientId: id, profileId } = await prepareClient(stack, channel);
      const { endpointId, address } = await verifiedEndpoint(stack, channel, id);
      const intentId = await send(stack, channel, { clientId: id, profileId, endpointId });
      const { endpoint } = await stack.endpointAdmin.revokeEndpoint({ endpointId }, callOf(""));
      expect(endpoint).toMatchObject({ id: endpointId, status: "revoked", lastErrorCode: "revoked_by_operator" });
      const worker = await stack.startWorker();
      await finished(stack, id, intentId);
      await worker.close();
      expect(await stack.sink.messages({ channel, to: address })).toEqual([]);
      const again = await stack.endpointAdmin.revokeEndpoint({ endpointId: endpointId.toUpperCase() }, callOf(""));
      expect(again.endpoint?.status).toBe("revoked");
    },
  );

  it("returns not found for an unknown endpoint", async () => {
    const call = { endpointId: newId() };
    const refused = { code: "delivery_endpoint_not_found" };
    await expect(stack.endpointAdmin.revokeEndpoint(call, callOf(""))).rejects.toMatchObject(refused);
    await expect(stack.endpointAdmin.getEndpoint(call, callOf(""))).rejects.toMatchObject(refused);
  });

  it("shows one endpoint, with its address only if it is revealed", async () => {
    const { clientId: id } = await prepareClient(stack, "email");
    const { endpointId } = await verifiedEndpoint(stack, "email", id, "ann.lee@people.example");
    const { endpoint } = await stack.endpointAdmin.getEndpoint({ endpointId }, callOf(""));
    expect(endpoint).toMatchObject({ id: endpointId, projectClientId: id, addressHint: "a***@people.example" });
    expect(endpoint?.address).toBeUndefined();
    const shown = await stack.endpointAdmin.getEndpoint({ endpointId, reveal: true }, callOf(""));
    expect(shown.endpoint?.address).toBe("ann.lee@people.example");
  });
});
