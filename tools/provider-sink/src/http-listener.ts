import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { createControlApp } from "./control/control-app.ts";
import type { ProviderAnswer } from "./faults/provider-answer.ts";
import {
  type PushOutcome,
  type PushRequest,
  type Responder,
  type SinkState,
  settleAttempt,
} from "./faults/settle-attempt.ts";
import { AccessTokens } from "./fcm/access-tokens.ts";
import { answerSend } from "./fcm/answer-send.ts";
import { exchangeAssertion } from "./fcm/token-endpoint.ts";
import { answerPushMessage } from "./line/answer-push-message.ts";
import { RetryKeys } from "./line/retry-keys.ts";
import { readBody } from "./read-body.ts";
import type { Channel } from "./store/message.ts";
import { answerForeignWebPush, answerWebPush } from "./web-push/answer-web-push.ts";
import { Subscriptions } from "./web-push/subscriptions.ts";
import { VapidVerifier } from "./web-push/vapid.ts";

const bodyBytesMax = 1024 * 1024;
const sendPath = /^\/v1\/projects\/([^/]+)\/messages:send$/;
const webPushPath = /^\/web-push\/push\/([^/]+)$/;

/** Returns whether a request is a Web Push, by its content coding. RFC 8291 allows no other coding, and no other request to the sink uses this one. */
const isWebPush = ({ headers }: { headers: http.IncomingHttpHeaders | PushRequest["headers"] }): boolean =>
  headers["content-encoding"] === "aes128gcm";

export type HttpListener = { port: number; subscriptions: Subscriptions; close: () => Promise<void> };

/**
 * Starts the HTTP/1.1 listener for FCM with its token endpoint, LINE, the Web Push service, and the control API with the page. The providers' paths are
 * matched here and not by Express, because matching here is faster and benchmarks send their load to these paths.
 */
export async function startHttpListener(
  state: SinkState,
  options: { port: number; host: string },
): Promise<HttpListener> {
  const server = http.createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 });
  server.listen(options.port, options.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const subscriptions = new Subscriptions(`${origin}/web-push/push`);
  const vapid = new VapidVerifier(origin);
  const accessTokens = new AccessTokens();
  const retryKeys = new RetryKeys();
  const control = createControlApp(state, subscriptions);

  const outcomeOf = (
    request: PushRequest,
  ): { channel: Channel; outcome: PushOutcome | Promise<PushOutcome> } | null => {
    if (request.method !== "POST") return null;
    const project = sendPath.exec(request.path)?.[1];
    if (project !== undefined) return { channel: "fcm", outcome: answerSend(accessTokens, project, request) };
    if (request.path === "/v2/bot/message/push") {
      return { channel: "line", outcome: answerPushMessage(retryKeys, request) };
    }
    const id = webPushPath.exec(request.path)?.[1];
    if (id === undefined) {
      return isWebPush(request) ? { channel: "web_push", outcome: answerForeignWebPush(vapid, origin, request) } : null;
    }
    const messageBase = `${origin}/web-push/messages`;
    return { channel: "web_push", outcome: answerWebPush(subscriptions, vapid, messageBase, id, request) };
  };

  server.on("request", async (incoming, response) => {
    const path = (incoming.url ?? "/").split("?", 1)[0] ?? "/";
    const isProvider = path === "/token" || path.startsWith("/v1/projects/") || path.startsWith("/v2/bot/");
    const isPush = incoming.method === "POST" && (webPushPath.test(path) || isWebPush(incoming));
    if (!(isProvider || isPush)) return void control(incoming, response);
    const body = await readBody(incoming, bodyBytesMax);
    if (!body) return;
    const request: PushRequest = { method: incoming.method ?? "", path, headers: plainHeaders(incoming.headers), body };
    const responder = respondOver(incoming, response);
    if (request.path === "/token") return void exchange(state, accessTokens, request, responder);
    const found = outcomeOf(request);
    if (!found) return responder.send({ status: 404, headers: { "content-type": "text/plain" }, body: "Not Found" });
    await settleAttempt(state, found.channel, request, await found.outcome, responder);
  });

  return {
    port,
    subscriptions,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function exchange(
  state: SinkState,
  tokens: AccessTokens,
  request: PushRequest,
  responder: Responder,
): Promise<void> {
  const fault = state.faults.take("fcm", "token");
  const answer = fault?.answer?.() ?? exchangeAssertion(tokens, request);
  await fault?.delay();
  if (fault?.drop) responder.cut();
  else responder.send(answer);
}

function respondOver(incoming: http.IncomingMessage, response: http.ServerResponse): Responder {
  return {
    send: ({ status, headers, body }: ProviderAnswer) => {
      if (response.destroyed) return;
      response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
      response.end(body);
    },
    cut: () => incoming.socket.destroy(),
  };
}

function plainHeaders(incoming: http.IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
