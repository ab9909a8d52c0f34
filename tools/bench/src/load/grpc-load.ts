import { randomUUID } from "node:crypto";
import { Client, credentials } from "@grpc/grpc-js";
import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/** Calls over gRPC: by the platform's own client (a Domain Event is published), or by grpc-js as it comes (bytes are echoed). */
export type GrpcLoad = {
  readonly client: "platform" | "grpc-js";
  readonly address: string;
  /** Channels of the grpc-js client; the platform's decides for itself. */
  readonly channels: number;
  readonly inFlight: number;
  readonly durationMs: number;
  readonly projectClientId: string;
};

const data = JSON.stringify({ order: 1, lines: [{ sku: "A-1", quantity: 2 }] });

export async function runGrpcLoad(load: GrpcLoad): Promise<LoadSample> {
  const { once, close } = load.client === "platform" ? platformCalls(load) : plainCalls(load);
  try {
    return await runClosedLoop({ concurrency: load.inFlight, durationMs: load.durationMs, once });
  } finally {
    close();
  }
}

function platformCalls(load: GrpcLoad) {
  const connection = connectGrpc({ address: load.address, tls: null });
  const { publishDomainEvent } = connection.service(DomainEventService);
  const correlationId = randomUUID();
  const once = (index: number) =>
    publishDomainEvent(
      { type: "order.placed", schemaVersion: 1, dataJson: data },
      {
        context: {
          correlationId,
          operation: "bench",
          projectClient: { id: load.projectClientId, environment: "production" },
          idempotency: { key: `${correlationId}-${index}`, fingerprint: "0".repeat(64) },
        },
      },
    );
  return { once, close: () => connection.close() };
}

function plainCalls(load: GrpcLoad) {
  const clients = Array.from(
    { length: load.channels },
    () =>
      new Client(load.address, credentials.createInsecure(), {
        "grpc.use_local_subchannel_pool": 1,
        "grpc.enable_channelz": 0,
        "grpc.enable_retries": 0,
      }),
  );
  const same = (bytes: Buffer): Buffer => bytes;
  const body = Buffer.from(data);
  const once = (index: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const options = { deadline: Date.now() + 5_000 };
      clients[index % clients.length]?.makeUnaryRequest(
        "/bench.Echo/Call",
        same,
        same,
        body,
        options,
        (error, reply) => (error === null ? resolve(reply) : reject(error)),
      );
    });
  return { once, close: () => clients.forEach((client) => void client.close()) };
}
