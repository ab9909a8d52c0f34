import { randomUUID } from "node:crypto";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { createLatencies, type LoadSample } from "./sample.ts";

/** Reads a client's log from its beginning, as fast as it comes, and begins again at its end. */
export type ReadEventsLoad = {
  readonly address: string;
  readonly operatorToken: string;
  readonly projectClientId: string;
  /** Events the log is known to have. */
  readonly count: number;
  readonly durationMs: number;
};

export async function runReadEventsLoad(load: ReadEventsLoad): Promise<LoadSample> {
  const connection = connectGrpc({
    address: load.address,
    tls: null,
    metadata: { authorization: `Bearer ${load.operatorToken}` },
  });
  const { readEvents } = connection.service(DomainEventConsumerService);
  const context = { correlationId: randomUUID(), operation: "bench", projectClient: null, idempotency: null };
  const latencies = createLatencies();
  const startedAtMs = performance.now();
  let read = 0;
  while (performance.now() - startedAtMs < load.durationMs) {
    const beganAtMs = performance.now();
    let last = 0n;
    const request = { projectClientId: load.projectClientId, afterPosition: 0n };
    for await (const { position } of readEvents(request, { context })) {
      if (position !== last + 1n) throw new Error(`position ${position} came after ${last}`);
      last = position;
      read += 1;
      if (last >= BigInt(load.count)) break;
    }
    latencies.add(performance.now() - beganAtMs);
  }
  const durationMs = performance.now() - startedAtMs;
  connection.close();
  return { ...latencies.sample(durationMs, {}), count: read, perSecond: read / (durationMs / 1_000) };
}
