import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { newId } from "@platform/kit/process/secrets";
import type { StoredDocument } from "@platform/kit/store/documents";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBounceAddresses } from "../src/bounce-addresses.ts";
import { connectMailServer, reportTo } from "./bounce-mails.ts";
import { finished, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

const count = 10_000;
/** Number of mail servers that report concurrently. It is more than the receiver accepts from one source. */
const serverCount = 40;
const domain = "bounces.shop.example";
const startBounces = fileURLToPath(new URL("../src/start-bounces.ts", import.meta.url));

let stack: NotifyStack;
let mongo: MongoClient;
let receiver: ChildProcess | null = null;
beforeAll(async () => {
  stack = await startNotifyStack({ env: { BOUNCE_SMTP_PORT: `${await freePort()}`, PROBE_PORT: "0" } });
  mongo = await MongoClient.connect(stack.mongo.uri);
});
afterAll(async () => {
  receiver?.kill("SIGKILL");
  await mongo.close();
  await stack.close();
});

const start = (): void => {
  const env = { PATH: process.env.PATH ?? "", ...stack.env };
  receiver = spawn(process.execPath, [startBounces], { env, stdio: ["ignore", "inherit", "inherit"] });
};
const kill = async (): Promise<void> => {
  const killed = receiver;
  if (killed === null) return;
  killed.kill("SIGKILL");
  await once(killed, "exit");
};

/** Creates sent deliveries, each to a separate endpoint. */
async function sentDeliveries(): Promise<string[]> {
  const { clientId, profileId } = await prepareClient(stack, "email");
  const { endpointId } = await verifiedEndpoint(stack, "email", clientId);
  const worker = await stack.startWorker();
  const deliveryId = await send(stack, "email", { clientId, profileId, endpointId });
  await finished(stack, clientId, deliveryId);
  await worker.close();
  const db = mongo.db(stack.mongo.database);
  const [deliveries, endpoints] = [
    db.collection<StoredDocument>("deliveries"),
    db.collection<StoredDocument>("delivery_endpoints"),
  ];
  const delivery = await deliveries.findOne({ _id: deliveryId });
  const endpoint = await endpoints.findOne({ _id: endpointId });
  const made = Array.from({ length: count }, () => ({ delivery: newId(), endpoint: newId() }));
  await endpoints.insertMany(
    made.map((ids) => ({ ...endpoint, _id: ids.endpoint, address_hash: randomBytes(32).toString("hex") })),
  );
  await deliveries.insertMany(
    made.map((ids) => ({
      ...delivery,
      _id: ids.delivery,
      endpoint_id: ids.endpoint,
      idempotency_key: ids.delivery,
    })),
  );
  return made.map(({ delivery: id }) => id);
}

it("loses none of 10,000 concurrent reports while the receiver is killed three times", async () => {
  const waiting = await sentDeliveries();
  const key = Buffer.from(stack.env.SERVICE_KEY ?? "", "base64");
  const addresses = createBounceAddresses({ current: key, previous: [] });
  const port = Number(stack.env.BOUNCE_SMTP_PORT);
  const acknowledged = new Set<string>();
  start();

  /**
   * Sends reports until every report has been acknowledged. Like a mail server, it repeats a report after a broken
   * connection and a temporary refusal.
   */
  const report = async (): Promise<void> => {
    for (;;) {
      const server = await eventually(() => connectMailServer(port).catch(() => null), {
        timeoutMs: 240_000,
        everyMs: 50,
      });
      for (let id = waiting.pop(); ; id = waiting.pop()) {
        if (id === undefined) return server.close();
        const address = addresses.of(id, domain) ?? "";
        const { code } = await server.send([address], reportTo(address, "postfix-no-such-user"));
        if (code === 250) acknowledged.add(id);
        else waiting.push(id);
        if (code === 0) break;
      }
      server.close();
    }
  };
  const reporting = Array.from({ length: serverCount }, report);
  for (const share of [0.2, 0.5, 0.8]) {
    await eventually(() => acknowledged.size >= share * count, { timeoutMs: 240_000, everyMs: 20 });
    await kill();
    // All reports that were acknowledged by then must be stored.
    const stored = await mongo
      .db(stack.mongo.database)
      .collection<StoredDocument>("deliveries")
      .countDocuments({ _id: { $in: [...acknowledged] }, status: "failed", last_error_code: "bounced" });
    expect(stored).toBe(acknowledged.size);
    start();
  }
  await Promise.all(reporting);
  expect(acknowledged.size).toBe(count);
  const db = mongo.db(stack.mongo.database);
  expect(await db.collection("deliveries").countDocuments({ last_error_code: "bounced", status: "failed" })).toBe(
    count,
  );
  expect(await db.collection("delivery_endpoints").countDocuments({ "suppression.reason": "bounced" })).toBe(count);
});
