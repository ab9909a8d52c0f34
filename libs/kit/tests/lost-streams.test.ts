import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallContext } from "../src/rpc/call-context.ts";
import { connectGrpc, type GrpcConnection } from "../src/rpc/connect.ts";

const context: CallContext = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const sessions = new Set<ServerHttp2Session>();
/** What the test's server does with a call after the first response. */
let lose: (stream: ServerHttp2Stream) => void;
let server: Http2Server;
let connection: GrpcConnection;

beforeEach(async () => {
  server = createServer();
  server.on("session", (session) => sessions.add(session));
  server.on("stream", (stream: ServerHttp2Stream, { ":path": path }) => {
    stream.on("error", () => {});
    const isMux = path?.includes("mux") === true;
    const headers = { ":status": 200, "content-type": "application/grpc" };
    if (isMux) return void stream.respond({ ...headers, "grpc-status": "12" }, { endStream: true });
    stream.respond(headers);
    // An empty gRPC message: the flag for no compression, and a length of 0.
    stream.write(Buffer.alloc(5));
    setImmediate(() => lose(stream));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  connection = connectGrpc({ address: `127.0.0.1:${(server.address() as AddressInfo).port}`, tls: null });
});
afterEach(async () => {
  connection.close();
  for (const session of sessions) session.destroy();
  sessions.clear();
  await new Promise((resolve) => server.close(resolve));
});

test.each<[string, typeof lose]>([
  ["closes the stream without a status, as one that gives a silent connection up", (stream) => stream.close(0)],
  ["drops the connection", (stream) => stream.session?.destroy()],
])("reports an unavailable dependency if a stream's server %s", async (_, way) => {
  lose = way;
  const answers = connection.service(DomainEventConsumerService).readEvents({ projectClientId: "p" }, { context });
  const read = async (): Promise<void> => {
    for await (const _ of answers);
  };
  await expect(read()).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
});
