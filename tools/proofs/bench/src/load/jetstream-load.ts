import { randomUUID } from "node:crypto";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type LoadSample, runClosedLoop } from "./sample.ts";

/** Publishes to a stream on disk. Each publication waits for the server's acknowledgement. */
export type JetstreamLoad = {
  readonly port: number;
  readonly body: string;
  readonly inFlight: number;
  readonly durationMs: number;
};

const stream = "BENCH";
const subject = "bench.events";

export async function runJetstreamLoad({ port, body, inFlight, durationMs }: JetstreamLoad): Promise<LoadSample> {
  const connection = await connect({ servers: `nats://127.0.0.1:${port}` });
  try {
    const manager = await jetstreamManager(connection);
    // This call also succeeds if an earlier run has created the stream.
    await manager.streams.add({
      name: stream,
      subjects: [subject],
      storage: "file",
      discard: "old",
      max_bytes: 2 ** 30,
    });
    const publisher = jetstream(connection);
    const prefix = randomUUID();
    const once = (index: number): Promise<unknown> => publisher.publish(subject, body, { msgID: `${prefix}-${index}` });
    return await runClosedLoop({ concurrency: inFlight, durationMs, once });
  } finally {
    await connection.close();
  }
}
