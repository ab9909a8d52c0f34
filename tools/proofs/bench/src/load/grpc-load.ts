import { randomUUID } from "node:crypto";
import { Client, credentials } from "@grpc/grpc-js";
import { importFrom } from "../checkout/version.ts";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/**
 * Calls over gRPC, either by the platform's client (it publishes a Domain Event) or by unmodified grpc-js (it sends
 * bytes that are returned).
 */
export type GrpcLoad = {
  /** Checkout that contains the platform's client; null uses grpc-js with four channels. */
  readonly root: string | null;
  readonly address: string;
  readonly inFlight: number;
  readonly durationMs: number;
};

const data = JSON.stringify({ order: 1, lines: [{ sku: "A-1", quantity: 2 }] });
const channels = 4;

export async function runGrpcLoad({ root, address, inFlight, durationMs }: GrpcLoad): Promise<LoadSample> {
  const { once, close } = root === null ? plainCalls(address) : await platformCalls(root, address);
  try {
    return await runClosedLoop({ concurrency: inFlight, durationMs, once });
  } finally {
    close();
  }
}

async function platformCalls(root: string, address: string) {
  type Connect = typeof import("@platform/kit/rpc/client");
  type Events = typeof import("@platform/proto/events/v1/events_service");
  const { connectGrpc } = await importFrom<Connect>(
    root,
    "@platform/kit/rpc/client",
    "@platform/service-kit/grpc/connect",
  );
  const { DomainEventService } = await importFrom<Events>(root, "@platform/proto/events/v1/events_service");
  const connection = connectGrpc({ address, tls: null });
  const { publishDomainEvent } = connection.service(DomainEventService);
  const correlationId = randomUUID();
  const context = { correlationId, operation: "bench", projectClient: { id: randomUUID(), environment: "production" } };
  const event = { type: "order.placed", schemaVersion: 1, dataJson: data };
  const once = (index: number) => {
    const idempotency = { key: `${correlationId}-${index}`, fingerprint: "0".repeat(64) };
    return publishDomainEvent(event, { context: { ...context, idempotency } });
  };
  return { once, close: () => connection.close() };
}

function plainCalls(address: string) {
  const options = { "grpc.use_local_subchannel_pool": 1, "grpc.enable_channelz": 0, "grpc.enable_retries": 0 };
  const clients = Array.from({ length: channels }, () => new Client(address, credentials.createInsecure(), options));
  const same = (bytes: Buffer): Buffer => bytes;
  const body = Buffer.from(data);
  const once = (index: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // grpc-js measures deadlines by the wall clock.
      const deadline = { deadline: Date.now() + 5_000 };
      clients[index % channels]?.makeUnaryRequest("/bench.Echo/Call", same, same, body, deadline, (error, reply) =>
        error === null ? resolve(reply) : reject(error),
      );
    });
  return { once, close: () => clients.forEach((client) => void client.close()) };
}
