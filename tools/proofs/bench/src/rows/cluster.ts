import { startTestRedis } from "@platform/test-kit/redis";
import { startTestRedisCluster } from "@platform/test-kit/redis-cluster";
import type { MeteringSample } from "../load/metering-load.ts";
import { type Bench, beforeChecks, type Check, type Contender, type Row, ratioCheck } from "../row.ts";

const clients = 5_000;
const perTick = 64;
const goal = 1.3;
const [alone, cluster] = ["one Redis", "cluster"];

/**
 * Measures the cost of a Redis Cluster compared with a single Redis, for requests of many clients in one tick, which
 * use many slots.
 */
export const clusterRow: Row = {
  id: "CLUSTER",
  title: `CPU time of admission and settlement of a request, ${clients.toLocaleString("en")} clients, ${perTick} requests a tick`,
  run: async (bench) => {
    const one = await startTestRedis();
    bench.defer(one.close);
    const several = await startTestRedisCluster({ replicas: 0 });
    bench.defer(several.close);
    const samples = new Map<string, MeteringSample[]>();
    const contenders = bench.versions.flatMap(({ root, prefix }) => [
      contender(bench, prefix + alone, root, [one.url], samples),
      contender(bench, prefix + cluster, root, several.urls.split(","), samples),
    ]);
    const measured = await bench.measure(contenders);
    return {
      measured,
      checks: [
        ratioCheck(measured, [cluster, alone], { atMost: goal }),
        ...beforeChecks(bench, measured, [cluster], {}),
        partCheck(samples, "redis-server alone", "redisMicros"),
        partCheck(samples, "the calling process alone", "callerMicros"),
      ],
      notes: [
        "The figure is the CPU time of the redis-servers (used_cpu_user, used_cpu_sys) and of the process that calls them; less is better. Three primaries without replicas, no persistence on either side.",
      ],
    };
  },
};

function contender(
  bench: Bench,
  name: string,
  root: string,
  urls: readonly string[],
  samples: Map<string, MeteringSample[]>,
): Contender {
  const run = async (durationMs: number): Promise<MeteringSample> => {
    const sample = await bench.generator.run("metering", { root, urls, clients, perTick, durationMs });
    samples.set(name, [...(samples.get(name) ?? []), sample]);
    return sample;
  };
  return { name, role: "ours", unit: "µs a request", run };
}

/** Reports the ratio of one part of the CPU time. It has no target. The first sample is the warm-up. */
function partCheck(
  samples: ReadonlyMap<string, readonly MeteringSample[]>,
  text: string,
  part: "redisMicros" | "callerMicros",
): Check {
  const [of, by] = [cluster, alone].map((name) => median((samples.get(name) ?? []).slice(1).map((one) => one[part])));
  const value = `${of?.toFixed(1)} and ${by?.toFixed(1)} µs, ${((of ?? 0) / (by ?? 1)).toFixed(2)} ×`;
  return { text, value, met: null };
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}
