import { generateKeyPairSync } from "node:crypto";
import { connect } from "node:http2";
import { messagingApi } from "@line/bot-sdk";
import { JWT } from "google-auth-library";
import nodemailer from "nodemailer";
import { Agent, request } from "undici";
import webPush from "web-push";

/** The channels the bench sends through. */
export const benchChannels = ["email", "fcm", "apns", "line", "web_push"] as const;
export type BenchChannel = (typeof benchChannels)[number];

/** Where the sink listens. */
export type SinkAddresses = { readonly http: string; readonly smtp: string; readonly apns: string };

/** Sends one message by a provider's own client library, or by the plain HTTP client where there is none. */
export type RawClient = { send(address: string): Promise<void>; close(): void };

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
export const rsaPem = rsa.toString();
export const ecPem = ec.export({ type: "pkcs8", format: "pem" }).toString();
export const vapid = webPush.generateVAPIDKeys();

const subject = "Order 7";
const text = "Dear Ann, order 7 left.";

/** What a loop over the bare library does with the same messages; nothing is stored, claimed, judged or retried. */
export function rawClient(channel: BenchChannel, sink: SinkAddresses, apnsToken: string): RawClient {
  switch (channel) {
    case "email":
      return rawMail(sink.smtp);
    case "fcm":
      return rawFcm(sink.http);
    case "apns":
      return rawApns(sink.apns, apnsToken);
    case "line":
      return rawLine(sink.http);
    case "web_push":
      return rawWebPush();
  }
}

function rawMail(url: string): RawClient {
  const { hostname, port } = new URL(url);
  const pool = nodemailer.createTransport({
    pool: true,
    host: hostname,
    port: Number(port),
    maxConnections: 16,
    maxMessages: 1_000,
    tls: { rejectUnauthorized: false },
  });
  return {
    send: async (to) => {
      await pool.sendMail({ from: "Shop <no-reply@shop.example>", to, subject, text, html: `<p>${text}</p>` });
    },
    close: () => pool.close(),
  };
}

function rawFcm(baseUrl: string): RawClient {
  const client = new JWT({
    email: "sender@demo.example",
    key: rsaPem,
    scopes: ["https://www.googleapis.com/auth/firebase.messaging"],
    transporterOptions: {
      fetchImplementation: (url, init) => fetch(String(url).includes("oauth2") ? `${baseUrl}/token` : url, init),
    },
  });
  return {
    send: async (token) => {
      const data = { message: { token, notification: { title: subject, body: text } } };
      await client.request({ url: `${baseUrl}/v1/projects/demo/messages:send`, method: "POST", data });
    },
    close: () => {},
  };
}

function rawApns(baseUrl: string, token: string): RawClient {
  const session = connect(baseUrl);
  return {
    send: (device) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ":method": "POST",
          ":path": `/3/device/${device}`,
          authorization: `bearer ${token}`,
          "apns-topic": "example.shop",
          "apns-push-type": "alert",
        });
        let status = 0;
        stream.on("response", (headers) => {
          status = headers[":status"] ?? 0;
        });
        stream.on("end", () => (status === 200 ? resolve() : reject(new Error(`APNs ${status}`))));
        stream.on("error", reject);
        stream.resume();
        stream.end(JSON.stringify({ aps: { alert: { title: subject, body: text } } }));
      }),
    close: () => session.destroy(),
  };
}

function rawLine(baseUrl: string): RawClient {
  const client = new messagingApi.MessagingApiClient({ channelAccessToken: "token", baseURL: baseUrl });
  return {
    send: async (to) => {
      await client.pushMessage({ to, messages: [{ type: "text", text: `${subject}\n${text}` }] });
    },
    close: () => {},
  };
}

/** web-push sends over https only, so what it prepares is sent by undici, as the worker does. */
function rawWebPush(): RawClient {
  const dispatcher = new Agent({ connections: 32 });
  const vapidDetails = { subject: "mailto:ops@shop.example", ...vapid };
  return {
    send: async (address) => {
      const { endpoint, headers, body } = webPush.generateRequestDetails(
        JSON.parse(address) as webPush.PushSubscription,
        JSON.stringify({ title: subject, body: text }),
        { vapidDetails, TTL: 60 },
      );
      const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const response = await request(endpoint, { method: "POST", dispatcher, headers: named, body });
      await response.body.dump();
      if (response.statusCode >= 300) throw new Error(`web push ${response.statusCode}`);
    },
    close: () => void dispatcher.close(),
  };
}
