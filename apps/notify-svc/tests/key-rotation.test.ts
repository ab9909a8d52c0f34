import { randomBytes } from "node:crypto";
import { keyIdOf } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createNotifyWorker } from "../src/create-notify-worker.ts";
import { finished, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
beforeAll(async () => {
  stack = await startNotifyStack();
});
afterAll(() => stack.close());

describe("rotating the service key", () => {
  it("decrypts profiles and queued emails with the earlier key, and encrypts profiles with the new one", async () => {
    const { clientId, profileId } = await prepareClient(stack, "email");
    const { endpointId, address } = await verifiedEndpoint(stack, "email", clientId);
    const deliveryId = await send(stack, "email", { clientId, profileId, endpointId }, { marketingPurpose: "news" });

    const newKey = randomBytes(32);
    const rotated = {
      ...stack.env,
      SERVICE_KEY: newKey.toString("base64"),
      SERVICE_KEY_PREVIOUS: stack.env.SERVICE_KEY ?? "",
    };
    const worker = await createNotifyWorker(readServerConfig(rotated), { logger: silentLogger() });
    try {
      expect(await finished(stack, clientId, deliveryId)).toMatchObject({ status: "sent" });
      const [mail] = await stack.sink.messages({ channel: "email", to: address });
      const path = /https:\/\/gateway\.example(\S+)>/.exec(mail?.headers["list-unsubscribe"] ?? "")?.[1];
      expect((await fetch(`${stack.httpUrl}${path}`, { method: "POST" })).status).toBe(200);

      const mongo = await MongoClient.connect(stack.mongo.uri);
      const profiles = mongo
        .db(stack.mongo.database)
        .collection<{ _id: string; config_sealed: string }>("sender_profiles");
      await eventually(async () => {
        const profile = await profiles.findOne({ _id: profileId });
        return profile?.config_sealed.startsWith(`${keyIdOf(newKey)}.`);
      });
      const stored = JSON.stringify(await profiles.find().toArray());
      expect(stored).not.toContain("PRIVATE KEY");
      await mongo.close();
    } finally {
      await worker.close();
    }
  });
});
