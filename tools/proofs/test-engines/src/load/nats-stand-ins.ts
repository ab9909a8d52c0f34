import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { eventually } from "@platform/test-kit/eventually";
import { startTestNats, type TestNats } from "@platform/test-kit/nats";
import { eventsWith } from "@platform/torture/domains/events";
import type { Acknowledged, Findings, StandIn, StandInKind } from "./stand-in.ts";

const streamName = "DOMAIN_EVENTS";
const subjects = "domain-events.>";
/** Time in which waiting events must be relayed once NATS works again. */
const relayMsMax = 120_000;

type Running = { readonly nats: TestNats; readonly connection: NatsConnection };
type Misbehaviour = Pick<StandIn, "misbehave" | "recover" | "domains">;

/** One relayed event: its id, and its position in its client's log. */
type Relayed = { readonly id: string; readonly position: string; readonly source: string };

const nats = (name: string, behave: (running: Running) => Misbehaviour): StandInKind => ({
  name,
  start: async () => {
    const server = await startTestNats();
    const connection = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    // Everything that the server has accepted, even if it was later deleted with its stream: ids, with the time of
    // first arrival.
    const taken = new Map<string, number>();
    const subscription = connection.subscribe(subjects, {
      callback: (_error, message) => {
        const { id } = message.json<Relayed>();
        if (!taken.has(id)) taken.set(id, Date.now());
      },
    });
    const { misbehave, recover, domains = [] } = behave({ nats: server, connection });
    let sinceMs = 0;
    const marked = (act: () => Promise<void>) => async (): Promise<void> => {
      sinceMs = Date.now();
      await act();
    };
    return {
      env: { NATS_URL: server.url },
      domains,
      misbehave: marked(misbehave),
      ...(recover === undefined ? {} : { recover: marked(recover) }),
      findings: (acknowledged) => compare(connection, taken, acknowledged, sinceMs),
      close: async () => {
        subscription.unsubscribe();
        await connection.close();
        await server.close();
      },
    };
  },
});

/**
 * Checks that every acknowledged event was relayed, that none is in the stream twice, and that each client's events are
 * in the order of their positions.
 */
async function compare(
  connection: NatsConnection,
  taken: ReadonlyMap<string, number>,
  { events }: Acknowledged,
  sinceMs: number,
): Promise<Findings> {
  const isTaken = (): boolean => [...events.keys()].every((id) => taken.has(id));
  await eventually(isTaken, { timeoutMs: relayMsMax, everyMs: 500 }).catch(() => {});
  const stored = await storedEvents(connection);
  const counts = new Map<string, number>();
  for (const { id } of stored) counts.set(id, (counts.get(id) ?? 0) + 1);
  const latest = new Map<string, bigint>();
  const swapped: string[] = [];
  for (const { id, position, source: client } of stored) {
    const before = latest.get(client) ?? 0n;
    if (BigInt(position) <= before) swapped.push(id);
    latest.set(client, BigInt(position));
  }
  const secondsOf = (isChosen: (storedMs: number) => boolean): number[] =>
    [...events]
      .filter(([, at]) => isChosen(at.getTime()))
      .map(([id]) => ((taken.get(id) ?? Number.POSITIVE_INFINITY) - sinceMs) / 1_000);
  const waiting = secondsOf((storedMs) => storedMs <= sinceMs);
  const later = secondsOf((storedMs) => storedMs > sinceMs);
  return {
    lost: [...events.keys()].filter((id) => !taken.has(id) && !counts.has(id)),
    doubled: [...counts].filter(([, count]) => count > 1).map(([id]) => id),
    remarks: [
      `${stored.length} in the stream at the end`,
      swapped.length === 0 ? "in the order of positions" : `ORDER broken at ${swapped.length} events`,
      `what waited was relayed after ${waiting.reduce((one, other) => Math.max(one, other), 0).toFixed(1)} s`,
    ],
    recoverySeconds: later.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY),
  };
}

/** Reads all messages of the stream in order. */
async function storedEvents(connection: NatsConnection): Promise<Relayed[]> {
  const manager = await jetstreamManager(connection);
  const { state } = await manager.streams.info(streamName);
  const found: Relayed[] = [];
  if (state.messages === 0) return found;
  const consumer = await manager.jetstream().consumers.get(streamName, {});
  while (found.length < state.messages) {
    for await (const message of await consumer.fetch({ max_messages: Math.min(5_000, state.messages - found.length) }))
      found.push(message.json<Relayed>());
  }
  return found;
}

const large = eventsWith("large events", 2, (key) => ({ key, text: "x".repeat(10_000) }));

/** NATS JetStream whose stream is changed by an administrator, and a server that falls silent. */
export const natsStandIns: readonly StandInKind[] = [
  nats("JetStream, stream deleted", ({ connection }) => ({
    misbehave: async () => void (await (await jetstreamManager(connection)).streams.delete(streamName)),
  })),
  nats("JetStream, back with an empty disk", ({ nats: server }) => ({
    misbehave: async () => {
      await server.kill();
      await server.emptyDisk();
      await server.start();
    },
  })),
  nats("JetStream, max_msg_size lowered to 4 KiB", ({ connection }) => ({
    domains: [large],
    misbehave: async () => {
      const manager = await jetstreamManager(connection);
      const { config } = await manager.streams.info(streamName);
      await manager.streams.update(streamName, { ...config, max_msg_size: 4_096 });
    },
  })),
  nats("NATS, silent with its connections open", ({ nats: server }) => ({
    misbehave: async () => server.pause(),
    recover: async () => server.resume(),
  })),
];
