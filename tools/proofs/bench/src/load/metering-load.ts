import { randomBytes, randomUUID } from "node:crypto";
import { redisSettings } from "@platform/kit/process/env";
import { quotaKey } from "@platform/quota/quota-windows";
import { eventually } from "@platform/test-kit/eventually";
import { Redis } from "ioredis";
import { importFrom } from "../checkout/version.ts";
import type { LoadSample } from "./sample.ts";

/** Admits and settles requests of many clients with the Redis scripts of a checkout. */
export type MeteringLoad = {
  readonly root: string;
  /** The URL of one Redis, or the URLs of all primaries of a Cluster. */
  readonly urls: readonly string[];
  readonly clients: number;
  /**
   * Number of requests that arrive in each tick of the event loop. The requests of the previous tick are settled in it.
   */
  readonly perTick: number;
  readonly durationMs: number;
};

/** CPU time per request in microseconds, by process. */
export type MeteringSample = LoadSample & { readonly redisMicros: number; readonly callerMicros: number };

const dayMs = 86_400_000;
const fingerprint = "a".repeat(64);
const warmUpTicks = 100;
/**
 * Distance between the clients of consecutive requests, as a share of all clients, so that the requests of one client
 * are far apart.
 */
const stride = 7_919;

/** @returns `perSecond` is the CPU time of one request in microseconds, of all redis-servers and of this process */
export async function runMeteringLoad(load: MeteringLoad): Promise<MeteringSample> {
  const { root, urls, clients, perTick, durationMs } = load;
  type Connect = typeof import("@platform/quota/connect-redis");
  type Scripts = typeof import("@platform/quota/scripts");
  const { connectRedis } = await importFrom<Connect>(root, "@platform/quota/connect-redis");
  const { defineQuotaScripts } = await importFrom<Scripts>(root, "@platform/quota/scripts");
  const redis = connectRedis(redisSettings({ REDIS_URL: [...urls] }), () => {});
  const admins = urls.map((url) => new Redis(url));
  try {
    await eventually(() => redis.status === "ready");
    const scripts = defineQuotaScripts(redis);
    const clientIds = Array.from({ length: clients }, () => randomUUID());
    const mark = randomBytes(8).toString("hex");
    const outcome = `D${fingerprint}200${JSON.stringify({ id: randomUUID(), position: 1 })}`;
    const refusals: Record<string, number> = {};
    let count = 0;
    let before: Request[] = [];
    const tick = async (): Promise<void> => {
      const now = Array.from({ length: perTick }, () => {
        count += 1;
        return requestOf(clientIds[(count * stride) % clients] ?? "", `${mark}${count}`);
      });
      const results = await Promise.allSettled([
        ...before.map(({ record, counter, id }) =>
          scripts.settle([record, counter, counter], [id, "keep", outcome, 600_000]),
        ),
        ...now.map(({ traffic, record, counter, id }) =>
          scripts.meter(
            [traffic, record, counter, counter],
            [1_000_000_000, fingerprint, id, 30_000, dayMs, dayMs, 1, 1_000_000_000, ""],
          ),
        ),
      ]);
      for (const result of results) {
        if (result.status === "fulfilled") continue;
        const { message } = result.reason as Error;
        refusals[message] = (refusals[message] ?? 0) + 1;
      }
      before = now;
    };
    for (let index = 0; index < warmUpTicks; index += 1) await tick();
    const [serversBefore, ownBefore, startedAtMs] = [await cpuMicros(admins), process.cpuUsage(), performance.now()];
    count = 0;
    while (performance.now() - startedAtMs < durationMs) await tick();
    const own = process.cpuUsage(ownBefore);
    const redisMicros = ((await cpuMicros(admins)) - serversBefore) / count;
    const callerMicros = (own.user + own.system) / count;
    const perSecond = redisMicros + callerMicros;
    return { count, perSecond, p50Ms: 0, p99Ms: 0, maxMs: 0, refusals, redisMicros, callerMicros };
  } finally {
    for (const one of [redis, ...admins]) one.disconnect();
  }
}

type Request = { readonly traffic: string; readonly record: string; readonly counter: string; readonly id: string };

/** Returns the Redis keys of a request that publishes an event, in the form that the gateway uses. */
function requestOf(clientId: string, id: string): Request {
  return {
    traffic: quotaKey(clientId, "api_traffic"),
    record: `{${clientId}}:idempotency:events.publishDomainEvent:${id}`,
    counter: quotaKey(clientId, "events"),
    id,
  };
}

/** CPU time of all servers since they started, in microseconds. */
async function cpuMicros(admins: readonly Redis[]): Promise<number> {
  const texts = await Promise.all(admins.map((admin) => admin.info("cpu")));
  const seconds = texts.flatMap((text) =>
    [...text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm)].map(([, s]) => Number(s)),
  );
  return seconds.reduce((sum, one) => sum + one, 0) * 1_000_000;
}
