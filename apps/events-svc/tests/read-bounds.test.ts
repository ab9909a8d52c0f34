import { newId } from "@platform/kit/process/secrets";
import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { eventually } from "@platform/test-kit/eventually";
import type { TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorCall, startTestMongo, startTestServer } from "./fixture.ts";

let mongo: TestMongo;
let server: Awaited<ReturnType<typeof startTestServer>>;
const connections: GrpcConnection[] = [];
const clientId = newId();

beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestServer(mongo);
});
afterAll(async () => {
  for (const connection of connections) connection.close();
  await server.close();
  await mongo.close();
});

const connectWith = (token: string): GrpcConnection => {
  const metadata = { authorization: `Bearer ${token}` };
  const connection = connectGrpc({ address: `127.0.0.1:${server.grpcPort}`, tls: null, metadata });
  connections.push(connection);
  return connection;
};
const issueToken = async (projectClientId = clientId): Promise<string> => {
  const admin = connectWith(server.config.operatorToken).service(ConsumerAdminService);
  return (await admin.issueConsumer({ projectClientId, name: "reports" }, operatorCall())).token;
};
/** Opens a stream and waits for its first checkpoint. */
const open = async (token: string, types: string[] = [], projectClientId = clientId) => {
  const stop = new AbortController();
  const answers = connectWith(token)
    .service(DomainEventConsumerService)
    .readEvents({ projectClientId, types }, operatorCall(stop.signal))
    [Symbol.asyncIterator]();
  await answers.next();
  return {
    close: async () => {
      stop.abort();
      await answers.return?.(undefined);
    },
  };
};

test("refuses a stream with 400,000 patterns, with 51 patterns, or with a pattern of 121 characters", async () => {
  const token = await issueToken();
  const refused = { code: "contract_violation", details: { violations: [{ path: "/types" }] } };
  const flood = Array.from({ length: 400_000 }, (_, index) => `a.${index}`);
  await expect(open(token, flood)).rejects.toMatchObject(refused);
  await expect(
    open(
      token,
      Array.from({ length: 51 }, () => "a.b"),
    ),
  ).rejects.toMatchObject(refused);
  await expect(open(token, ["a".repeat(121)])).rejects.toMatchObject(refused);
  const longest = Array.from({ length: 50 }, () => "a".repeat(120));
  await (await open(token, longest)).close();
});

test("refuses the 65th idle stream of one client over many tokens, and serves another client and operators", async () => {
  const crowded = newId();
  const streams = [];
  for (let number = 0; number < 8; number += 1) {
    const token = await issueToken(crowded);
    streams.push(...(await Promise.all(Array.from({ length: 8 }, () => open(token, [], crowded)))));
  }
  const late = await issueToken(crowded);
  const refused = { code: "too_many_concurrent_calls", details: { limit: 64 } };
  await expect(open(late, [], crowded)).rejects.toMatchObject(refused);
  await (await open(server.config.operatorToken, [], crowded)).close();
  await (await open(await issueToken())).close();
  await streams.pop()?.close();
  streams.push(
    await eventually(() => open(late, [], crowded).catch(() => undefined), { what: "a place for another stream" }),
  );
  await expect(open(late, [], crowded)).rejects.toMatchObject(refused);
  await Promise.all(streams.map((stream) => stream.close()));
});

test.each([
  ["consumer token", () => issueToken()],
  ["operator", async () => server.config.operatorToken],
])("refuses the ninth idle stream of one %s, and accepts it once another has ended", async (_, tokenOf) => {
  const token = await tokenOf();
  const streams = await Promise.all(Array.from({ length: 8 }, () => open(token)));
  await expect(open(token)).rejects.toMatchObject({ code: "too_many_concurrent_calls", details: { limit: 8 } });
  const other = await open(await issueToken());
  await other.close();
  await streams.pop()?.close();
  streams.push(await eventually(() => open(token).catch(() => undefined), { what: "a place for another stream" }));
  await Promise.all(streams.map((stream) => stream.close()));
});
