import { readdirSync } from "node:fs";
import type { LoadSample } from "../load/sample.ts";
import { residentMib } from "../processes.ts";
import { type Check, type Measured, missedIfRefused, type Row } from "../row.ts";
import { httpLoad, publishing } from "./contenders.ts";

const name = "platform";
/** The soak is divided into parts of about this length, so that each has its own p99. */
const partMs = 15_000;
/** Memory is measured from this part of the run on at the latest. */
const settleMs = 600_000;

/** Measures memory and file descriptors of the gateway under a steady load: `make bench ROWS=B12 SOAK=3600`. */
export const soakRow: Row = {
  id: "B12",
  title: "Soak at 60 % of the platform's own rate",
  isOnRequest: true,
  run: async (bench) => {
    // The embedded engine keeps every document in memory, so documents of earlier rows would count towards the soak.
    const platform = await bench.emptyPlatform();
    const load = httpLoad(publishing(platform, platform.port));
    const top = await bench.generator.run("http", { ...load, durationMs: 5_000 });
    const perSecond = Math.round(top.perSecond * 0.6);
    const pid = platform.stack.pid("gateway");
    const startedAtMs = performance.now();
    const marks: { atMs: number; mib: number; descriptors: number }[] = [];
    const watch = setInterval(() => {
      const descriptors = readdirSync(`/proc/${pid}/fd`).length;
      marks.push({ atMs: performance.now() - startedAtMs, mib: residentMib(pid), descriptors });
    }, 1_000);
    const totalMs = (bench.options.soakSeconds ?? bench.options.seconds) * 1_000;
    const parts: LoadSample[] = [];
    while (performance.now() - startedAtMs < totalMs) {
      parts.push(await bench.generator.run("http", { ...load, perSecond, durationMs: Math.min(partMs, totalMs) }));
    }
    clearInterval(watch);
    const settled = marks.filter(({ atMs }) => atMs >= Math.min(settleMs, totalMs / 2));
    const thirdOf = <T>(all: readonly T[]): number => Math.max(1, Math.floor(all.length / 3));
    const most = (some: typeof marks): number => Math.max(...some.map(({ descriptors }) => descriptors));
    const [first, last] = [settled.slice(0, thirdOf(settled)), settled.slice(-thirdOf(settled))];
    const slope = slopePerTenMinutes(settled.map(({ atMs, mib }) => [atMs, mib]));
    const p99s = parts.map(({ p99Ms }) => p99Ms);
    const middle = (some: number[]): number => some.sort((a, b) => a - b)[some.length >> 1] ?? 0;
    const [p99First, p99Last] = [middle(p99s.slice(0, thirdOf(p99s))), middle(p99s.slice(-thirdOf(p99s)))];
    const measured: Measured[] = [{ name, role: "ours", unit: "requests/s", samples: parts }];
    const checks: Check[] = [
      { text: "memory grows by ≤ 1 MiB in ten minutes", value: `${slope.toFixed(2)} MiB`, met: slope <= 1 },
      {
        text: "p99 of the last third of the parts ≤ 1.1 × the first's",
        value: `${p99First.toFixed(1)} to ${p99Last.toFixed(1)} ms`,
        met: parts.length < 3 ? null : p99Last <= 1.1 * p99First,
      },
      {
        text: "descriptors flat",
        value: `at most ${most(first)}, then ${most(last)}`,
        met: most(last) <= most(first) + 4,
      },
    ];
    return {
      measured,
      checks: checks.map((check) => missedIfRefused(measured, [name], check)),
      notes: [
        `Offered ${perSecond}/s in parts of ${partMs / 1_000} s; each latency counts from when its request was due.`,
      ],
    };
  },
};

/** Least-squares slope of points [ms, MiB], in MiB per ten minutes. */
function slopePerTenMinutes(points: readonly (readonly [number, number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return under === 0 ? 0 : (over / under) * 600_000;
}
