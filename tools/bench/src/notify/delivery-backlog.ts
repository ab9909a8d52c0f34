import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, MongoClient } from "mongodb";
import type { Platform } from "../platform.ts";
import { type BenchChannel, ecPem, rsaPem, type SinkAddresses, vapid } from "./raw-clients.ts";

const endpointCount = 200;

/** A Project Client with verified endpoints of one channel, whose deliveries can be queued in bulk. */
export type DeliveryBacklog = {
  readonly addresses: readonly string[];
  /** Queues deliveries as copies of one the API accepted; answers the moment all of them become due. */
  queue(count: number): Promise<Date>;
  /** Deliveries not finished yet. */
  unfinished(): Promise<number>;
  /** Milliseconds from due to recorded as sent, of each delivery that became due at that moment; sorted. */
  latenciesMs(dueAt: Date): Promise<number[]>;
  /** Deliveries that failed. */
  failed(): Promise<number>;
  close(): Promise<void>;
};

/** Prepares the channel on the platform's own notify-svc: profile, catalog, and endpoints verified in the database. */
export async function prepareBacklog(
  platform: Platform,
  channel: BenchChannel,
  sink: SinkAddresses,
): Promise<DeliveryBacklog> {
  const clientId = platform.projectClientId;
  const profile = (await platform.ctl([
    ...["sender-profiles", "create", "--client", clientId, "--channel", channel, "--name", `bench-${channel}`],
    ...["--config", JSON.stringify(configOf(channel, sink))],
  ])) as { id: string };
  await applyCatalog(platform, clientId);
  const mongo = await MongoClient.connect(platform.stack.mongodbUri);
  const database = mongo.db(platform.stack.databaseOf("notify"));
  const addresses = await Promise.all(Array.from({ length: endpointCount }, () => addressOf(channel, sink)));
  const endpoints = addresses.map((address) => endpointDocument(clientId, channel, address));
  await database.collection<Document & { _id: string }>("delivery_endpoints").insertMany(endpoints);
  const model = await acceptOne(platform, channel, profile.id, endpoints[0]?._id ?? "");
  const deliveries = database.collection<Document & { _id: string }>("deliveries");
  const accepted = await deliveries.findOne({ _id: model });
  const own = { project_client_id: clientId, channel, kind: "intent" };
  const content = {
    subject: "Order 7",
    text: "Dear Ann, order 7 left.",
    html: channel === "email" ? "<p>Dear Ann, order 7 left.</p>" : null,
  };
  return {
    addresses,
    queue: async (count) => {
      const now = new Date();
      const dueAt = new Date(now.getTime() + 1_000 + count / 5);
      const copies = Array.from({ length: count }, (_, index) => {
        const id = randomUUID();
        const endpoint = endpoints[index % endpoints.length];
        const fresh = {
          status: "pending",
          attempts: 0,
          content,
          attempt_log: [],
          due_at: dueAt,
          created_at: now,
          finished_at: null,
        };
        const { claim_id: _claim, lease_until: _lease, ...kept } = accepted as Document;
        return { ...kept, ...fresh, _id: id, endpoint_id: endpoint?._id, idempotency_key: `bench:${id}` };
      });
      for (let at = 0; at < copies.length; at += 5_000) await deliveries.insertMany(copies.slice(at, at + 5_000));
      return dueAt;
    },
    unfinished: () => deliveries.countDocuments({ ...own, status: { $in: ["pending", "sending"] } }),
    latenciesMs: async (dueAt) => {
      const sent = await deliveries
        .find({ ...own, due_at: dueAt, status: "sent" })
        .project({ finished_at: 1 })
        .toArray();
      return sent.map(({ finished_at }) => finished_at.getTime() - dueAt.getTime()).sort((a, b) => a - b);
    },
    failed: () => deliveries.countDocuments({ ...own, status: "failed" }),
    close: () => mongo.close(),
  };
}

async function acceptOne(
  platform: Platform,
  channel: BenchChannel,
  profileId: string,
  endpointId: string,
): Promise<string> {
  const path = channel === "email" ? "notification-intents" : "channel-notification-intents";
  const response = await fetch(`http://127.0.0.1:${platform.port}/api/v1/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${platform.credential}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify({
      sender_profile_id: profileId,
      endpoint_id: endpointId,
      template_key: "bench",
      locale: "en",
      variables: { name: "Ann", number: 7 },
      ...(channel === "email" ? {} : { purpose: "bench" }),
    }),
  });
  const answer = (await response.json()) as { data?: { delivery_id: string } };
  if (answer.data === undefined) throw new Error(`the intent was refused: ${JSON.stringify(answer)}`);
  return answer.data.delivery_id;
}

async function applyCatalog(platform: Platform, clientId: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "bench-catalog-"));
  const templates = ["email", "fcm", "apns", "line", "web_push"].map((channel) => ({
    key: "bench",
    channel,
    locale: "en",
    subject: "Order {{ number }}",
    text: "Dear {{ name }}, order {{ number }} left.",
    variables: { name: "string", number: "integer" },
  }));
  const file = join(directory, "catalog.yaml");
  await writeFile(file, JSON.stringify({ templates }));
  await platform.ctl(["catalog", "apply", "--client", clientId, "--file", file]);
  await rm(directory, { recursive: true });
}

function configOf(channel: BenchChannel, sink: SinkAddresses): object {
  switch (channel) {
    case "email":
      return { from: "Shop <no-reply@shop.example>", smtp_url: sink.smtp };
    case "fcm":
      return { project_id: "demo", client_email: "sender@demo.example", private_key: rsaPem };
    case "apns":
      return { team_id: "TEAM123456", key_id: "KEY1234567", topic: "example.shop", private_key: ecPem };
    case "line":
      return { channel_access_token: "token" };
    case "web_push":
      return { subject: "mailto:ops@shop.example", public_key: vapid.publicKey, private_key: vapid.privateKey };
  }
}

async function addressOf(channel: BenchChannel, sink: SinkAddresses): Promise<string> {
  switch (channel) {
    case "email":
      return `bench-${randomBytes(8).toString("hex")}@people.example`;
    case "line":
      return `U${randomBytes(16).toString("hex")}`;
    case "web_push": {
      const body = JSON.stringify({ applicationServerKey: vapid.publicKey });
      const headers = { "content-type": "application/json" };
      return (await fetch(`${sink.http}/web-push/subscriptions`, { method: "POST", headers, body })).text();
    }
    default:
      return randomBytes(32).toString("hex");
  }
}

function endpointDocument(clientId: string, channel: BenchChannel, address: string) {
  const now = new Date();
  return {
    _id: randomUUID(),
    project_client_id: clientId,
    environment: "development",
    channel,
    address,
    address_hash: randomBytes(32).toString("hex"),
    status: "verified",
    verification: null,
    verified_at: now,
    granted_purposes: ["bench"],
    withdrawn_purposes: [],
    last_error_code: null,
    version: 1,
    created_at: now,
    updated_at: now,
  };
}
