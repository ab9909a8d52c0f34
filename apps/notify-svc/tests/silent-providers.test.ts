import { once } from "node:events";
import { createServer as createHttp2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { newId } from "@platform/kit/process/secrets";
import { eventually } from "@platform/test-kit/eventually";
import { afterEach, describe, expect, it } from "vitest";
import webPush from "web-push";
import type { ChannelConfig } from "../src/domain/sender-profile.ts";
import type { SendRequest } from "../src/providers/sender.ts";
import { createSenders, type Senders } from "../src/providers/senders.ts";
import { configOf } from "./notify-stack.ts";

/** Time within which a provider must respond; the service's default is 15 s. */
const answerMs = 300;
const never = new AbortController().signal;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Listens on a free port of 127.0.0.1 and passes each connection to `serve`, with its number counted from 1. */
async function listen(serve: (socket: Socket, number: number) => void): Promise<number> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    serve(socket, ++count);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Responds to each command or request on a connection with the next of its texts, and is silent after the last one. */
const answering =
  (...texts: readonly string[]) =>
  (socket: Socket): void => {
    const left = [...texts];
    socket.on("data", (chunk) => {
      // An HTTP request may arrive in several chunks, the first of which has the request line.
      if (texts.some((text) => text.startsWith("HTTP/")) && !chunk.includes(" HTTP/1.1\r\n")) return;
      const text = left.shift();
      if (text !== undefined) socket.write(text);
    });
  };

const httpAnswer = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const halfAnswer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"name":';
const token = httpAnswer('{"access_token":"t","expires_in":3600,"token_type":"Bearer"}');

type HttpChannel = "fcm" | "line" | "web_push";

function sendersFor(addresses: Partial<Parameters<typeof createSenders>[0]>): Senders {
  const known = {
    smtpUrl: null,
    fcmBaseUrl: "http://127.0.0.1:1",
    fcmTokenUrl: "http://127.0.0.1:1",
    apnsBaseUrl: null,
    lineBaseUrl: "http://127.0.0.1:1",
    outboundAllow: ["127.0.0.1/32"],
    answerMs,
    ...addresses,
  };
  const senders = createSenders(known, () => null);
  closing.push(() => senders.close());
  return senders;
}

function send(senders: Senders, channel: ChannelConfig["channel"], address: string) {
  const request: SendRequest = {
    deliveryId: newId(),
    projectClientId: "client",
    endpointId: null,
    attempt: 1,
    address,
    environment: "development",
    message: {
      kind: "notification",
      content: { subject: "s", text: "t", html: null, push: null },
      unsubscribeUrl: null,
    },
    acceptedAt: new Date(),
    ttlSeconds: 60,
    mayBegin: () => true,
  };
  return senders.send("profile", { channel, config: configOf(channel) } as ChannelConfig, request, never);
}

const late = { kind: "retry", providerStatus: "no_answer", errorCode: "provider_timeout" };

/** Creates a sender of one HTTP channel that calls the given server, with a working token endpoint. */
async function httpChannel(channel: HttpChannel, serve: (socket: Socket, number: number) => void) {
  const url = `http://127.0.0.1:${await listen(serve)}`;
  const tokenUrl = `http://127.0.0.1:${await listen(answering(token))}`;
  const senders = sendersFor({ fcmBaseUrl: url, fcmTokenUrl: tokenUrl, lineBaseUrl: url });
  const { publicKey } = webPush.generateVAPIDKeys();
  const keys = { p256dh: publicKey, auth: Buffer.alloc(16, 1).toString("base64url") };
  const address = channel === "web_push" ? JSON.stringify({ endpoint: `${url}/push`, keys }) : "an-address";
  return () => send(senders, channel, address);
}

describe.each(["fcm", "line", "web_push"] as const)("a provider of %s", (channel) => {
  it("stops waiting for a provider that is silent after the connection was established", async () => {
    const sendOnce = await httpChannel(channel, answering());
    expect(await sendOnce()).toMatchObject(late);
  });

  it("stops waiting for the second half of a response", async () => {
    const sendOnce = await httpChannel(channel, answering(halfAnswer));
    expect(await sendOnce()).toMatchObject(late);
  });

  it("abandons an idle connection on which the provider no longer responds", async () => {
    const sendOnce = await httpChannel(channel, (socket, number) =>
      answering(...(number === 1 ? [httpAnswer("{}")] : [httpAnswer("{}"), httpAnswer("{}")]))(socket),
    );
    expect(await sendOnce()).toMatchObject({ kind: "accepted" });
    // The connection accepts its next request from the next tick on.
    await setImmediate();
    expect(await sendOnce()).toMatchObject(late);
    expect(await sendOnce()).toMatchObject({ kind: "accepted" });
  });
});

it.each([
  ["is silent once connected", answering()],
  ["is silent after half an answer", answering(halfAnswer)],
])("stops waiting for Google's token endpoint if it %s", async (_what, serve) => {
  const senders = sendersFor({ fcmTokenUrl: `http://127.0.0.1:${await listen(serve)}` });
  expect(await send(senders, "fcm", "an-address")).toMatchObject({ kind: "retry" });
});

describe("a mail server", () => {
  const greeting = "220 mail.example ESMTP\r\n";
  const dialogue = [
    "250 mail.example\r\n",
    "250 ok\r\n",
    "250 ok\r\n",
    "354 go on\r\n",
    "250 queued\r\n",
    "250 reset\r\n",
  ];

  it.each([
    ["once connected", () => {}],
    ["after half a greeting", (socket: Socket) => void socket.write("220 mail")],
    [
      "after half an answer to EHLO",
      (socket: Socket) => {
        socket.write(greeting);
        answering("250-mail.exam")(socket);
      },
    ],
  ])("stops waiting for a server that is silent %s", async (_what, serve) => {
    const senders = sendersFor({ smtpUrl: `smtp://127.0.0.1:${await listen(serve)}` });
    expect(await send(senders, "email", "ann@people.example")).toMatchObject(late);
  });

  it("sends over another connection if the server no longer responds on an open one", async () => {
    const port = await listen((socket) => {
      socket.write(greeting);
      answering(...dialogue)(socket);
    });
    const senders = sendersFor({ smtpUrl: `smtp://127.0.0.1:${port}` });
    expect(await send(senders, "email", "ann@people.example")).toMatchObject({ kind: "accepted" });
    expect(await send(senders, "email", "ann@people.example")).toMatchObject({ kind: "accepted" });
  });
});

describe("Apple's push service", () => {
  const device = "ab".repeat(32);

  it("stops waiting for a server that is silent after the connection was established", async () => {
    const senders = sendersFor({ apnsBaseUrl: `http://127.0.0.1:${await listen(answering())}` });
    expect(await send(senders, "apns", device)).toMatchObject(late);
  });

  it("abandons a connection that falls silent in the middle of a response or while it is idle", async () => {
    const sessions: ServerHttp2Session[] = [];
    const server = createHttp2Server();
    server.on("session", (session) => sessions.push(session));
    server.on("stream", (stream: ServerHttp2Stream) => {
      stream.on("error", () => {});
      stream.respond({ ":status": 200 });
      // The streams of the first connection stay open with an incomplete response.
      if (sessions.length > 1) stream.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => {
      for (const session of sessions) session.destroy();
      server.close();
    });
    const senders = sendersFor({ apnsBaseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    expect(await send(senders, "apns", device)).toMatchObject(late);
    expect(await send(senders, "apns", device)).toMatchObject({ kind: "accepted" });
    await eventually(() => sessions.length === 2);
  });
});
