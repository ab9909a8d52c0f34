import { generateKeyPairSync, randomBytes } from "node:crypto";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { type CallOptions, connectGrpc, steadyNowMs } from "@platform/kit/rpc/client";
import type { RunningService } from "@platform/kit/service/start";
import { type ProviderSink, type ProviderSinkOptions, startProviderSink } from "@platform/provider-sink";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import webPush from "web-push";
import { readServerConfig } from "../src/config.ts";
import { createNotifyServer } from "../src/create-notify-server.ts";
import { createNotifyWorker } from "../src/create-notify-worker.ts";
import type { Channel } from "../src/domain/channel.ts";
import { clientsOf } from "./notify-clients.ts";

const operatorToken = randomBytes(24).toString("hex");

const rsa = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const ec = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
export const vapid = webPush.generateVAPIDKeys();
export const dkimKeys = rsa;

type Delivery = {
  readonly status: string;
  readonly attempts: number;
  readonly providerStatus: string | null;
  readonly lastErrorCode: string | null;
};

export type NotifyStack = ReturnType<typeof clientsOf> & {
  readonly mongo: TestMongo;
  readonly sink: ProviderSink;
  readonly server: RunningService;
  readonly env: Record<string, string>;
  readonly httpUrl: string;
  /** Moves the clock of the server and of the in-process worker ahead. */
  advance(ms: number): void;
  /** Starts a worker in this process; it is stopped with the stack, if not before. */
  startWorker(env?: Record<string, string>): Promise<RunningService>;
  close(): Promise<void>;
};

/** Starts a server with a provider sink and its own database. Tests start workers themselves. */
export async function startNotifyStack(
  options: { sink?: ProviderSinkOptions; env?: Record<string, string> } = {},
): Promise<NotifyStack> {
  const mongo = await startTestMongo();
  const sink = await startProviderSink(options.sink);
  const env: Record<string, string> = {
    GRPC_PORT: "0",
    HTTP_PORT: "0",
    PROBE_PORT: "0",
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE: mongo.database,
    SERVICE_KEY: randomBytes(32).toString("base64"),
    OPERATOR_TOKEN: operatorToken,
    PUBLIC_BASE_URL: "https://gateway.example",
    SMTP_URL: sink.smtpUrl,
    FCM_BASE_URL: sink.fcmBaseUrl,
    FCM_TOKEN_URL: sink.fcmTokenUrl,
    APNS_BASE_URL: sink.apnsBaseUrl,
    LINE_BASE_URL: sink.lineBaseUrl,
    DELIVERY_POLL_MS: "20",
    DELIVERY_RETRY_BASE_MS: "20",
    DELIVERY_PAUSE_MS: "50",
    LOG_LEVEL: "silent",
    ...options.env,
  };
  let aheadMs = 0;
  const clock = (): Date => new Date(Date.now() + aheadMs);
  const logger = silentLogger();
  const server = await createNotifyServer(readServerConfig(env), { logger, clock });
  const connection = connectGrpc({
    address: `127.0.0.1:${server.grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" },
  });
  const workers = new Set<RunningService>();
  return {
    mongo,
    sink,
    server,
    env,
    ...clientsOf(connection),
    httpUrl: `http://127.0.0.1:${server.httpPort}`,
    advance: (ms) => {
      aheadMs += ms;
    },
    startWorker: async (more = {}) => {
      const worker = await createNotifyWorker(readServerConfig({ ...env, ...more }), { logger, clock });
      workers.add(worker);
      const close = (): Promise<void> => {
        workers.delete(worker);
        return worker.close();
      };
      return { ...worker, close };
    },
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      connection.close();
      await server.close();
      await sink.close();
      await mongo.close();
    },
  };
}

/** The context of a call of one Project Client. */
export function callOf(projectClientId: string, key?: string, fingerprint = "f".repeat(64)): CallOptions {
  return {
    context: {
      correlationId: newId(),
      operation: "test",
      projectClient: { id: projectClientId, environment: "development" },
      idempotency: key === undefined ? null : { key, fingerprint },
    },
    deadlineMs: steadyNowMs() + 20_000,
  };
}

/** A channel's configuration that works with the sink. */
export function configOf(channel: Channel): Record<string, unknown> {
  switch (channel) {
    case "email":
      return {
        from: "Shop <no-reply@shop.example>",
        reply_to: "help@shop.example",
        dkim: { domain: "shop.example", selector: "s1", private_key: rsa.privateKey },
      };
    case "fcm":
      return { project_id: "demo", client_email: "sender@demo.example", private_key: rsa.privateKey };
    case "apns":
      return { team_id: "TEAM123456", key_id: "KEY1234567", topic: "example.shop", private_key: ec.privateKey };
    case "line":
      return { channel_access_token: "line-token" };
    case "web_push":
      return { subject: "mailto:ops@shop.example", public_key: vapid.publicKey, private_key: vapid.privateKey };
  }
}

const templateTexts = { subject: "Order {{ number }}", text: "Dear {{ name }}, order {{ number }} left." };
const html = '<p>Dear <b>{{ name }}</b>, order <a href="https://shop.example/{{ number }}">{{ number }}</a> left.</p>';

/** Gives a client a profile of the channel, and a catalog with the template `shipped` for every channel. */
export async function prepareClient(
  stack: NotifyStack,
  channel: Channel,
  more: Record<string, unknown> = {},
  clientId = newId(),
): Promise<{ clientId: string; profileId: string }> {
  const configJson = JSON.stringify({ ...configOf(channel), ...more });
  const profile = { projectClientId: clientId, channel, name: "main", configJson };
  const { id } = await stack.admin.createSenderProfile(profile, callOf(clientId));
  const variables = { number: "integer", name: "string" };
  const channels = ["email", "fcm", "apns", "line", "web_push"];
  const templates = channels.map((name) => ({
    key: "shipped",
    channel: name,
    locale: "en",
    ...templateTexts,
    ...(name === "email" ? { html } : {}),
    variables,
  }));
  await stack.admin.applyCatalog({ projectClientId: clientId, templates }, callOf(clientId));
  return { clientId, profileId: id };
}

/** An address of the channel that the sink accepts. */
export function addressOf(stack: NotifyStack, channel: Channel): string {
  switch (channel) {
    case "email":
      return `ann-${randomBytes(4).toString("hex")}@people.example`;
    case "fcm":
      return `fcm-${randomBytes(60).toString("hex")}`;
    case "apns":
      return randomBytes(32).toString("hex");
    case "line":
      return `U${randomBytes(16).toString("hex")}`;
    case "web_push":
      return JSON.stringify(stack.sink.createPushSubscription(vapid.publicKey));
  }
}

/** The name under which the sink records an address. */
export function sinkNameOf(channel: Channel, address: string): string {
  return channel === "web_push" ? (JSON.parse(address) as { endpoint: string }).endpoint : address;
}

/**
 * Registers an address without sending a push, and marks it as verified with consent for `orders`. Other tests cover
 * the registration.
 */
export async function verifiedEndpoint(
  stack: NotifyStack,
  channel: Channel,
  clientId: string,
  address = addressOf(stack, channel),
): Promise<{ endpointId: string; address: string }> {
  const { endpoints, admin } = stack;
  const consent = (endpointId: string) =>
    endpoints.setDeliveryConsent({ endpointId, purpose: "orders", granted: true }, callOf(clientId));
  if (channel === "email") {
    const made = await endpoints.registerEmailDeliveryEndpoint({ address }, callOf(clientId));
    const token = made.verificationToken ?? "";
    await endpoints.verifyEmailDeliveryEndpoint({ endpointId: made.id, token }, callOf(clientId));
    return { endpointId: made.id, address };
  }
  if (channel === "line") {
    const { id } = await admin.linkLineEndpoint({ projectClientId: clientId, userId: address }, callOf(clientId));
    await consent(id);
    return { endpointId: id, address };
  }
  const { endpoint } = await endpoints.registerDeliveryEndpoint({ channel, identifier: address }, callOf(clientId));
  const endpointId = endpoint?.id ?? "";
  const token = await tokenThatArrived(stack, channel, address);
  await endpoints.verifyDeliveryEndpoint({ endpointId, token }, callOf(clientId));
  await consent(endpointId);
  return { endpointId, address };
}

/** The verification token that the sink received for an address, read as the app on the device would read it. */
export async function tokenThatArrived(
  stack: NotifyStack,
  channel: Channel,
  address: string,
  nth = 0,
): Promise<string> {
  const to = sinkNameOf(channel, address);
  const messages = await stack.sink.messages({ channel, to, count: nth + 1, waitMs: 15_000 });
  const text = JSON.stringify(messages[nth]?.parsed);
  return /"type":"endpoint_verification","token":"([0-9a-f]{64})"/.exec(text.replaceAll('\\"', '"'))?.[1] ?? text;
}

/** Requests a delivery with valid values for the variables. */
export async function send(
  stack: NotifyStack,
  channel: Channel,
  ids: { clientId: string; profileId: string; endpointId: string },
  more: { key?: string; variables?: Record<string, unknown>; marketingPurpose?: string } = {},
): Promise<string> {
  const request = {
    senderProfileId: ids.profileId,
    templateKey: "shipped",
    locale: "en",
    endpointId: ids.endpointId,
    variablesJson: JSON.stringify(more.variables ?? { number: 7, name: "Ann" }),
  };
  const call = callOf(ids.clientId, more.key ?? newId());
  const { intent } =
    channel === "email"
      ? await stack.notifications.createNotificationIntent(
          { ...request, ...defined({ marketingPurpose: more.marketingPurpose }) },
          call,
        )
      : await stack.notifications.createChannelNotificationIntent({ ...request, purpose: "orders" }, call);
  return intent?.deliveryId ?? "";
}

/** Waits until the delivery is sent or failed, and returns it. */
export async function finished(stack: NotifyStack, clientId: string, deliveryId: string): Promise<Delivery> {
  return eventually(
    async () => {
      const { delivery } = await stack.notifications.getNotificationDelivery({ deliveryId }, callOf(clientId));
      if (delivery?.status !== "sent" && delivery?.status !== "failed") return null;
      const { status, attempts, providerStatus = null, lastErrorCode = null } = delivery;
      return { status, attempts, providerStatus, lastErrorCode };
    },
    { what: "delivery finished" },
  );
}
