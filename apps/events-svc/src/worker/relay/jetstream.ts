import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  errors,
  headers,
  nanos,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";
import { toCloudEvent } from "@platform/kit/web/webhooks";
import type { LoggedEvent } from "../../domain/domain-event.ts";
import { relaySubject } from "../../domain/relay-subject.ts";
import type { NatsSettings } from "./nats-settings.ts";

/**
 * Result of publishing a client's next events: the events that the stream has stored, and the reason why it rejected
 * the next one, or null.
 */
export type Published = { readonly stored: readonly LoggedEvent[]; readonly refusal: unknown };

/** A connection to the relay. */
export type Relay = {
  /** Publishes events one after the other, so that none is stored after one that was rejected. */
  publish(events: readonly LoggedEvent[]): Promise<Published>;
  /**
   * Resolves if the stream accepts events, and rejects with the reason if it does not. The stream is queried only if
   * it accepted the last event.
   */
  check(): Promise<void>;
  isClosed(): boolean;
  close(): Promise<void>;
};

/**
 * Headers for the structured mode of CloudEvents over NATS (NATS binding 1.0.2, section 3.2). The content type
 * distinguishes it from the binary mode.
 */
function cloudEventHeaders() {
  const fields = headers();
  fields.set("content-type", "application/cloudevents+json");
  return fields;
}

export const streamName = "DOMAIN_EVENTS";
const ackMs = 5_000;
/**
 * Interval of pings, in milliseconds. A connection is considered dead after two unanswered pings and the rest of a
 * third interval.
 */
const pingMs = 5_000;
const pingsMissedMax = 2;
/** Consecutive publishes without a response after which the relay connects again. */
const timeoutsMax = 2;
/** How long the last rejection makes the health check fail, in milliseconds, if no other one follows. */
const refusedMs = 15_000;
/** How long JetStream remembers message ids, in milliseconds. It drops a message whose id it has already stored. */
const duplicateWindowMs = 10 * 60_000;
const keptMs = 7 * 86_400_000;
/** Space that is reserved for subject, headers and protocol in a message of maximum size, in bytes. */
const overheadBytes = 1_024;

/** Options of every connection. `caFile` is read again whenever the transport connects. */
export function natsOptions({ servers, login, creds, caFile }: NatsSettings): ConnectionOptions {
  return {
    servers: [...servers],
    ...(login === null ? {} : { authenticator: usernamePasswordAuthenticator(login.user, login.password) }),
    ...(creds === null ? {} : { authenticator: credsAuthenticator(Buffer.from(creds)) }),
    ...(caFile === null ? {} : { tls: { caFile } }),
    name: "events-svc relay",
    maxReconnectAttempts: -1,
    timeout: 5_000,
    pingInterval: pingMs,
    maxPingOut: pingsMissedMax,
  };
}

/**
 * Connects to NATS and creates the stream if it does not exist. A stream that an operator has created is not changed.
 */
export async function connectRelay(settings: NatsSettings): Promise<Relay> {
  const connection = await connect(natsOptions(settings));
  let streamBytesMax: Promise<number>;
  let timeouts = 0;
  /** The last rejection, unless an event was accepted since. */
  let refused: { readonly reason: unknown; readonly atMs: number } | null = null;
  /** Reads the stream, and creates it if it does not exist. */
  const find = async (): Promise<number> => findStream(await jetstreamManager(connection), settings.replicas);
  try {
    streamBytesMax = Promise.resolve(await find());
  } catch (error) {
    await connection.close();
    throw error;
  }
  const stream = jetstream(connection);
  const payload = (logged: LoggedEvent, streamMax: number): Uint8Array => {
    const bytesMax = Math.min(connection.info?.max_payload ?? 1_048_576, streamMax) - overheadBytes;
    const whole = Buffer.from(toCloudEvent(logged));
    return whole.byteLength <= bytesMax ? whole : Buffer.from(toCloudEvent(logged, false));
  };
  const afterRefusal = async (error: unknown): Promise<void> => {
    refused = { reason: error, atMs: performance.now() };
    // Somebody may have deleted the stream or changed its limits, whatever the reason of the rejection is. The next
    // call therefore reads the stream first.
    streamBytesMax = find();
    streamBytesMax.catch(() => {});
    timeouts = error instanceof errors.TimeoutError ? timeouts + 1 : 0;
    if (timeouts >= timeoutsMax) await connection.close();
  };
  return {
    publish: async (events) => {
      const stored: LoggedEvent[] = [];
      try {
        const streamMax = await streamBytesMax;
        for (const logged of events) {
          await stream.publish(relaySubject(logged), payload(logged, streamMax), {
            msgID: logged.event.id,
            timeout: ackMs,
            headers: cloudEventHeaders(),
          });
          timeouts = 0;
          refused = null;
          stored.push(logged);
        }
        return { stored, refusal: null };
      } catch (error) {
        await afterRefusal(error);
        return { stored, refusal: error };
      }
    },
    check: async () => {
      // A rejected event is sent again every second, unless its client has been disabled, so a recent rejection shows
      // the current state.
      if (refused !== null && performance.now() - refused.atMs < refusedMs) throw refused.reason;
      await (await jetstreamManager(connection)).streams.info(streamName);
    },
    isClosed: () => connection.isClosed(),
    close: () => connection.close(),
  };
}

/** Finds or creates the stream, and returns the maximum message size that it accepts, in bytes. */
async function findStream(manager: JetStreamManager, replicas: number): Promise<number> {
  const { config } = await manager.streams.info(streamName).catch((error: unknown) => {
    if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) throw error;
    return manager.streams.add({
      name: streamName,
      subjects: ["domain-events.>"],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      duplicate_window: nanos(duplicateWindowMs),
      max_age: nanos(keptMs),
      num_replicas: replicas,
    });
  });
  const { max_msg_size: bytes } = config;
  return bytes === undefined || bytes <= 0 ? Number.POSITIVE_INFINITY : bytes;
}
