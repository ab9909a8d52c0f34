import type { DescService } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { ImpressionService } from "@platform/proto/ads/v1/ads_service";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { FilesService } from "@platform/proto/files/v1/files_service";
import { HealthHistoryService } from "@platform/proto/identity/v1/health_history";
import { type CarryRequest, CarryRequestSchema } from "@platform/proto/mux/v1/mux";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLogger } from "../src/process/logger.ts";
import { createMetrics } from "../src/process/metrics.ts";
import type { CallContext } from "../src/rpc/call-context.ts";
import { muxPath } from "../src/rpc/call-frame.ts";
import { connectGrpc, type GrpcConnection } from "../src/rpc/connect.ts";
import { fromGrpcFailure } from "../src/rpc/error-detail.ts";
import { encodeMessage } from "../src/rpc/message-bytes.ts";
import { serveGrpc } from "../src/rpc/serve.ts";
import type { ServedService } from "../src/rpc/served-service.ts";

const context: CallContext = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };
const services = [
  ImpressionService,
  DomainEventService,
  DomainEventConsumerService,
  FilesService,
  HealthHistoryService,
  NotifyAdminService,
  RecordSearchAdminService,
];

/** Names of the RPCs that have started. */
const begun: string[] = [];

/** Creates a service whose RPCs record that they have started. */
function noting(desc: DescService): ServedService {
  const rpcs = desc.methods.map(({ localName, methodKind }) => {
    const streaming = async function* () {
      begun.push(localName);
      yield {};
    };
    const unary = async () => {
      begun.push(localName);
      return {};
    };
    return [localName, methodKind === "server_streaming" ? streaming : unary] as const;
  });
  return { desc, implementation: Object.fromEntries(rpcs), guard: () => undefined };
}

const texts = (count: number): string[] => Array.from({ length: count }, () => "a");
const states = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, "ok"]));
const minuteWith = (count: number) => ({ minutes: [{}, { at: timestampFromMs(0), states: states(count) }] });
const template = (locale: string) => ({ templates: [{ key: "k", locale }] });

type Case = readonly [service: DescService, rpc: string, at: object, past: object, path: string, said: string];
/** One RPC of each service, with a request at a bound and one beyond it. */
const cases: readonly Case[] = [
  [ImpressionService, "recordViewableImpression", { token: "😀".repeat(1_048_576) }, { token: "a".repeat(1_048_577) }, "/token", "1048576 characters, not 1048577"],
  [DomainEventService, "publishDomainEvent", { type: "a".repeat(120) }, { type: "a".repeat(121) }, "/type", "120 characters, not 121"],
  [DomainEventConsumerService, "readEvents", { types: texts(500) }, { types: texts(501) }, "/types", "500 items, not 501"],
  [FilesService, "createUploadGrant", { expectedSha256: "a".repeat(255) }, { expectedSha256: "a".repeat(256) }, "/expected_sha256", "255 characters, not 256"],
  [HealthHistoryService, "recordHealth", minuteWith(500), minuteWith(501), "/minutes/1/states", "500 items, not 501"],
  [NotifyAdminService, "applyCatalog", template("a".repeat(255)), template("a".repeat(256)), "/templates/0/locale", "255 characters, not 256"],
  [RecordSearchAdminService, "findRecords", { projectClientIds: texts(10_000) }, { projectClientIds: texts(10_001) }, "/project_client_ids", "10000 items, not 10001"],
]; // biome-ignore format: a table

describe.each([
  ["multiplexed", true],
  ["plain", false],
])("a %s call", (_, isMuxServed) => {
  let server: Awaited<ReturnType<typeof serveGrpc>>;
  let connection: GrpcConnection;
  beforeAll(async () => {
    const metrics = createMetrics("test", { processMetrics: false });
    const options = { host: "127.0.0.1", port: 0, tls: null, logger: silentLogger(), metrics, isMuxServed };
    server = await serveGrpc({ ...options, services: services.map(noting) });
    connection = connectGrpc({ address: `127.0.0.1:${server.port}`, tls: null });
  });
  afterAll(async () => {
    await connection.close();
    await server.close(500);
  });

  async function outcomeOf(service: DescService, rpc: string, request: object): Promise<unknown> {
    const from = begun.length;
    const client = connection.service(service) as Record<string, (request: object, options: object) => unknown>;
    try {
      const reply = client[rpc]?.(request, { context });
      if (service.method[rpc]?.methodKind === "server_streaming")
        for await (const _ of reply as AsyncIterable<unknown>);
      else await reply;
      return { begun: begun.slice(from) };
    } catch (error) {
      const { code, message, details } = error as { code: string; message: string; details: object };
      return { begun: begun.slice(from), code, message, details };
    }
  }

  it.each(cases)(
    "accepts %s/%s at the bound, and rejects it one past the bound before the RPC begins",
    async (...row) => {
      const [service, rpc, at, past, path, said] = row;
      expect(await outcomeOf(service, rpc, at)).toEqual({ begun: [rpc] });
      expect(await outcomeOf(service, rpc, past)).toMatchObject({
        begun: [],
        code: "contract_violation",
        message: `${path.slice(1)} must have at most ${said}`,
        details: { violations: [{ path, message: `must have at most ${said}` }] },
      });
    },
  );

  it("rejects 400,000 patterns in ReadEvents by a consumer", async () => {
    const outcome = await outcomeOf(DomainEventConsumerService, "readEvents", { types: texts(400_000) });
    expect(outcome).toMatchObject({ begun: [], message: "types must have at most 500 items" });
  });
});

it("ends a stream of multiplexed calls if one message contains more calls than its bound", async () => {
  const metrics = createMetrics("test", { processMetrics: false });
  const server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    logger: silentLogger(),
    metrics,
    services: [],
  });
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  const encode = (request: CarryRequest): Buffer => encodeMessage(CarryRequestSchema, request);
  const failureOf = (calls: number): Promise<string> =>
    new Promise((resolve) => {
      const stream = client.makeBidiStreamRequest(muxPath, encode, (bytes: Buffer) => bytes);
      stream.on("data", () => {});
      stream.on("error", (error: ServiceError) => {
        const { errorDetail } = fromGrpcFailure(error);
        resolve(Buffer.from(errorDetail ?? []).toString());
      });
      stream.on("end", () => resolve("none"));
      stream.write(create(CarryRequestSchema, { calls: Array.from({ length: calls }, () => ({ cancelled: true })) }));
      stream.end();
    });
  expect(await failureOf(16_384)).toBe("none");
  expect(await failureOf(16_385)).toContain("calls must have at most 16384 items, not 16385");
  client.close();
  await server.close(500);
});
