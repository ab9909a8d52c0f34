import { jetstream, jetstreamManager, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { connect, credsAuthenticator, headers, nanos, usernamePasswordAuthenticator } from "@nats-io/transport-node";
import { toCloudEvent } from "@platform/service-kit/webhooks/cloud-event";
import type { LoggedEvent } from "../../domain/domain-event.ts";
import { relaySubject } from "../../domain/relay-subject.ts";
import type { NatsSettings } from "./nats-settings.ts";

/** A connection to the relay. */
export type Relay = {
  /** Publishes events in order; returns those the relay has stored. */
  publish(events: readonly LoggedEvent[]): Promise<LoggedEvent[]>;
  isClosed(): boolean;
  close(): Promise<void>;
};

/** The structured mode of the NATS binding of CloudEvents 1.0.2, section 3.2: the content type tells it from the binary mode. */
function cloudEventHeaders() {
  const fields = headers();
  fields.set("content-type", "application/cloudevents+json");
  return fields;
}

export const streamName = "DOMAIN_EVENTS";
const ackMs = 5_000;
/** Within this time JetStream drops a message whose id it has seen. */
const duplicateWindowMs = 10 * 60_000;
const keptMs = 7 * 86_400_000;

/** Connects to NATS and creates the stream if it is missing. An operator's own stream stays unchanged. */
export async function connectRelay({ servers, login, creds, ca, replicas }: NatsSettings): Promise<Relay> {
  const connection = await connect({
    servers: [...servers],
    ...(login === null ? {} : { authenticator: usernamePasswordAuthenticator(login.user, login.password) }),
    ...(creds === null ? {} : { authenticator: credsAuthenticator(Buffer.from(creds)) }),
    ...(ca === null ? {} : { tls: { ca } }),
    name: "events-svc relay",
    maxReconnectAttempts: -1,
    timeout: 5_000,
  });
  try {
    const manager = await jetstreamManager(connection);
    const isThere = await manager.streams.info(streamName).then(
      () => true,
      () => false,
    );
    if (!isThere) {
      await manager.streams.add({
        name: streamName,
        subjects: ["domain-events.>"],
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        duplicate_window: nanos(duplicateWindowMs),
        max_age: nanos(keptMs),
        num_replicas: replicas,
      });
    }
  } catch (error) {
    await connection.close();
    throw error;
  }
  const stream = jetstream(connection);
  const bytesMax = (connection.info?.max_payload ?? 1_048_576) - 1_024;
  const payload = (logged: LoggedEvent): Uint8Array => {
    const whole = Buffer.from(toCloudEvent(logged));
    return whole.byteLength <= bytesMax ? whole : Buffer.from(toCloudEvent(logged, false));
  };
  return {
    publish: async (events) => {
      // All are sent before the first answer is awaited; one connection keeps their order.
      const answers = await Promise.allSettled(
        events.map((logged) =>
          stream.publish(relaySubject(logged), payload(logged), {
            msgID: logged.event.id,
            timeout: ackMs,
            headers: cloudEventHeaders(),
          }),
        ),
      );
      // Events after a failure are sent again, so the next round starts at the failure.
      const failed = answers.findIndex(({ status }) => status === "rejected");
      return failed === -1 ? [...events] : events.slice(0, failed);
    },
    isClosed: () => connection.isClosed(),
    close: () => connection.close(),
  };
}
