import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import type { Certificate } from "../certificate.ts";
import { type PushRequest, type SinkState, settleAttempt } from "../faults/settle-attempt.ts";
import { readBody } from "../read-body.ts";
import { answerDevicePush } from "./answer-device-push.ts";
import type { ProviderTokens } from "./provider-tokens.ts";

/** Maximum number of bytes of a request that are kept; APNs returns 413 far below this. */
const bodyBytesMax = 64 * 1024;
const maxConcurrentStreams = 1000;

export type ApnsListeners = { port: number; tlsPort: number; close: () => Promise<void> };

/** Starts the two listeners for APNs: HTTP/2 in clear text with prior knowledge, and HTTP/2 over TLS as Apple offers it. */
export async function startApnsListeners(
  state: SinkState,
  providerTokens: ProviderTokens,
  options: { port: number; tlsPort: number; certificate: Certificate },
): Promise<ApnsListeners> {
  const settings = { maxConcurrentStreams };
  const { key, cert } = options.certificate;
  const clear = http2.createServer({ settings });
  const secure = http2.createSecureServer({ settings, key, cert, allowHTTP1: false });
  const sessions = new Set<http2.ServerHttp2Session>();
  for (const server of [clear, secure]) {
    server.on("session", (session: http2.ServerHttp2Session) => {
      sessions.add(session);
      session.on("close", () => sessions.delete(session));
      // A client that disconnects is not an error; without a listener it would end this process.
      session.on("error", () => session.destroy());
    });
    server.on("stream", (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => {
      stream.on("error", () => stream.close());
      void answerStream(state, providerTokens, stream, headers);
    });
  }
  secure.on("tlsClientError", () => undefined);
  await Promise.all([listen(clear, options.port), listen(secure, options.tlsPort)]);
  return {
    port: (clear.address() as AddressInfo).port,
    tlsPort: (secure.address() as AddressInfo).port,
    close: async () => {
      const closed = [clear, secure].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const session of sessions) session.destroy();
      await Promise.all(closed);
    },
  };
}

async function listen(server: http2.Http2Server | http2.Http2SecureServer, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

async function answerStream(
  state: SinkState,
  providerTokens: ProviderTokens,
  stream: http2.ServerHttp2Stream,
  incoming: http2.IncomingHttpHeaders,
): Promise<void> {
  const body = await readBody(stream, bodyBytesMax);
  if (!body) return;
  const request: PushRequest = {
    method: incoming[":method"] ?? "",
    path: incoming[":path"] ?? "",
    headers: plainHeaders(incoming),
    body,
  };
  await settleAttempt(state, "apns", request, answerDevicePush(providerTokens, request), {
    send: (answer) => {
      if (stream.destroyed || stream.closed) return;
      stream.respond({ ":status": answer.status, ...answer.headers }, { endStream: answer.body === "" });
      if (answer.body !== "") stream.end(answer.body);
    },
    // This ends the whole connection with every stream on it, as if APNs or the network had dropped it.
    cut: () => stream.session?.destroy(),
  });
}

function plainHeaders(incoming: http2.IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (!name.startsWith(":") && value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
