import { setTimeout as delay } from "node:timers/promises";
import { importPKCS8, SignJWT } from "jose";
import type { LoadSample } from "../load/sample.ts";
import { runClosedLoop } from "../load/sample.ts";
import { type DeliveryBacklog, prepareBacklog } from "../notify/delivery-backlog.ts";
import { type BenchChannel, benchChannels, ecPem, rawClient, type SinkAddresses } from "../notify/raw-clients.ts";
import type { Platform } from "../platform.ts";
import { pin } from "../processes.ts";
import { type Bench, type Contender, type Row, ratioCheck } from "../row.ts";

/** Calls of the raw client at once; the connections a worker keeps to an HTTP provider. */
const concurrency = 32;
const warmUpCount = 500;

/** Deliveries from the queue to the provider by one worker, beside a loop over the provider's library that stores and judges nothing. */
export const notifyDeliveriesRow: Row = {
  id: "NOTIFY",
  title: `Deliveries end to end to the sink by one worker, beside ${concurrency} raw calls at once`,
  run: async (bench) => {
    const platform = await bench.platform();
    // It is the worker that is measured here: it has the core the gateway has elsewhere.
    const worker = platform.stack.pid("notify-svc-worker");
    pin(worker, "measured");
    bench.defer(async () => pin(worker, "stores"));
    const sink = sinkAddresses(platform);
    const contenders: Contender[] = [];
    for (const channel of benchChannels) contenders.push(...(await contendersOf(bench, platform, channel, sink)));
    const measured = await bench.measure(contenders);
    return {
      measured,
      checks: benchChannels.map((channel) => ratioCheck(measured, [oursOf(channel), rawOf(channel)], 0.5)),
      notes: [
        "ours reads and judges the endpoint, claims by lease and records the outcome durably for each delivery.",
        "in flight at the provider: 16 SMTP or 32 HTTP connections on both sides; APNs up to 256 streams of ours, 32 of the raw client.",
        "latency of ours is from due to recorded as sent, with the whole backlog due at once: waiting in line is in it.",
      ],
    };
  },
};

const oursOf = (channel: BenchChannel): string => `${channel}: worker`;
const rawOf = (channel: BenchChannel): string => `${channel}: raw client`;

async function contendersOf(
  bench: Bench,
  platform: Platform,
  channel: BenchChannel,
  sink: SinkAddresses,
): Promise<Contender[]> {
  const backlog = await prepareBacklog(platform, channel, sink);
  const raw = rawClient(channel, sink, await apnsToken());
  bench.defer(async () => {
    raw.close();
    await backlog.close();
  });
  let expectedPerSecond = warmUpCount;
  return [
    {
      name: oursOf(channel),
      role: "ours",
      unit: "deliveries/s",
      run: async (durationMs) => {
        await clearSink(sink);
        const count = Math.max(warmUpCount, Math.round((expectedPerSecond * durationMs) / 1_000));
        const sample = await drain(backlog, sink, count);
        expectedPerSecond = sample.perSecond;
        return sample;
      },
    },
    {
      name: rawOf(channel),
      role: "baseline",
      unit: "deliveries/s",
      run: async (durationMs) => {
        await clearSink(sink);
        const addressOf = (index: number): string => backlog.addresses[index % backlog.addresses.length] ?? "";
        return runClosedLoop({ concurrency, durationMs, once: (index) => raw.send(addressOf(index)) });
      },
    },
  ];
}

/** Queues `count` deliveries that all become due at one moment, and waits until they have reached the sink. Time runs from that moment. */
async function drain(backlog: DeliveryBacklog, sink: SinkAddresses, count: number): Promise<LoadSample> {
  const before = await arrivedCount(sink);
  const dueAt = await backlog.queue(count);
  await delay(Math.max(0, dueAt.getTime() - Date.now()));
  const startedAtMs = performance.now();
  // Asked of the sink and not of the database, whose answer would cost the worker what it needs.
  while ((await arrivedCount(sink)) - before < count) await delay(20);
  const elapsedMs = performance.now() - startedAtMs;
  while ((await backlog.unfinished()) > 0) await delay(200);
  const failed = await backlog.failed();
  const latencies = await backlog.latenciesMs(dueAt);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    count,
    perSecond: count / (elapsedMs / 1_000),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    refusals: failed === 0 ? {} : { failed },
  };
}

async function arrivedCount(sink: SinkAddresses): Promise<number> {
  const totals = (await (await fetch(`${sink.http}/counts`)).json()) as Record<string, number>;
  return Object.values(totals).reduce((sum, each) => sum + each, 0);
}

async function clearSink(sink: SinkAddresses): Promise<void> {
  await fetch(`${sink.http}/messages`, { method: "DELETE" });
}

function sinkAddresses({ stack }: Platform): SinkAddresses {
  const { sinkHttp, sinkSmtp, sinkApns } = stack.ports;
  return {
    http: `http://127.0.0.1:${sinkHttp}`,
    smtp: `smtp://127.0.0.1:${sinkSmtp}`,
    apns: `http://127.0.0.1:${sinkApns}`,
  };
}

async function apnsToken(): Promise<string> {
  const key = await importPKCS8(ecPem, "ES256");
  return new SignJWT({})
    .setProtectedHeader({ alg: "ES256", kid: "KEY1234567" })
    .setIssuer("TEAM123456")
    .setIssuedAt()
    .sign(key);
}
