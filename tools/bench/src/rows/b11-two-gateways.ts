import type { LoadSample } from "../load/sample.ts";
import { startGenerator } from "../processes.ts";
import { type Contender, type Row, ratioCheck } from "../row.ts";
import { noopBody } from "./http-contenders.ts";

const connections = 64;
const one = "one gateway";
const two = "two gateways";

/** A second process on a second core: what is shared (Redis) must not hold it back. */
export const twoGatewaysRow: Row = {
  id: "B11",
  title: "POST /noop through one and two gateway processes, 64 connections each",
  run: async (bench) => {
    const platform = await bench.platform();
    const second = startGenerator();
    bench.defer(second.stop);
    const load = (port: number, durationMs: number) => ({
      port,
      method: "POST",
      path: "/api/v1/noop",
      headers: {},
      body: noopBody,
      idempotencyKey: "fresh" as const,
      connections,
      durationMs,
    });
    const contenders: Contender[] = [
      { name: one, role: "ours", run: (durationMs) => bench.generator.run("http", load(platform.port, durationMs)) },
      {
        name: two,
        role: "ours",
        run: async (durationMs) => {
          const samples = await Promise.all([
            bench.generator.run("http", load(platform.port, durationMs)),
            second.run("http", load(platform.secondPort, durationMs)),
          ]);
          return together(samples);
        },
      },
    ];
    const measured = await bench.measure(contenders);
    return { measured, checks: [ratioCheck(measured, [two, one], 1.85)], notes: [] };
  },
};

/** Two loads that ran at the same time, as one. */
function together([first, second]: readonly [LoadSample, LoadSample]): LoadSample {
  return {
    count: first.count + second.count,
    perSecond: first.perSecond + second.perSecond,
    p50Ms: Math.max(first.p50Ms, second.p50Ms),
    p99Ms: Math.max(first.p99Ms, second.p99Ms),
    maxMs: Math.max(first.maxMs, second.maxMs),
    refusals: { ...first.refusals, ...second.refusals },
  };
}
