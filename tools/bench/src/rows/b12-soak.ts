import { readdirSync, readFileSync } from "node:fs";
import type { LoadSample } from "../load/sample.ts";
import type { Row } from "../row.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const connections = 64;
/** The soak is driven in parts of about this long, so that there is a p99 for each. */
const partMs = 15_000;
/** Memory counts after so much of the run, at most. */
const settleMs = 600_000;

/** The gateway's memory and descriptors under a steady load, once for as long as SOAK says: `make bench ROWS=B12 SOAK=3600`. */
export const soakRow: Row = {
  id: "B12",
  title: "Soak at 60 % of the gateway's own rate",
  isOnRequest: true,
  run: async (bench) => {
    // The embedded engine holds every document in memory: what the rows before have written there would be held on top of the soak's.
    const platform = await bench.emptyPlatform();
    const headers = authorized(platform);
    const target = { port: platform.port, connections, path: "/api/v1/domain-events", headers, body: eventBody };
    const top = await httpContender(bench, { ...target, name: "", role: "ours", idempotencyKey: "fresh" }).run(5_000);
    const pid = platform.stack.pid("gateway");
    const marks: { atMs: number; rssMb: number; descriptors: number }[] = [];
    const watch = setInterval(() => marks.push({ atMs: performance.now(), ...processFigures(pid) }), 1_000);
    const p99s: number[] = [];
    const measured = await bench.measure(
      [
        {
          name: "gateway",
          role: "ours",
          run: async (durationMs) => {
            const parts: LoadSample[] = [];
            const count = Math.max(1, Math.round(durationMs / partMs));
            for (let part = 0; part < count; part += 1) {
              const load = {
                ...target,
                method: "POST",
                idempotencyKey: "fresh",
                perSecond: top.perSecond * 0.6,
              } as const;
              parts.push(await bench.generator.run("http", { ...load, durationMs: durationMs / count }));
            }
            p99s.push(...parts.map(({ p99Ms }) => p99Ms));
            return inTurn(parts);
          },
        },
      ],
      { runs: 1, seconds: bench.options.soakSeconds ?? bench.options.seconds },
    );
    clearInterval(watch);
    const beganMs = marks[0]?.atMs ?? 0;
    const lengthMs = (marks.at(-1)?.atMs ?? 0) - beganMs;
    const fromMs = Math.min(settleMs, lengthMs / 2);
    const settled = marks.filter(({ atMs }) => atMs - beganMs >= fromMs);
    const slope = slopePerTenMinutes(settled.map(({ atMs, rssMb }) => [atMs, rssMb]));
    const descriptors = settled.map((mark) => mark.descriptors);
    // The first one is the warm-up.
    const steady = p99s.slice(1);
    const third = Math.max(1, Math.floor(steady.length / 3));
    const [first, last] = [median(steady.slice(0, third)), median(steady.slice(-third))];
    const drift = (last / first - 1) * 100;
    return {
      measured,
      checks: [
        {
          text: `RSS slope after ${(fromMs / 60_000).toFixed(1)} min ≤ 1 MB in 10 min`,
          value: `${slope.toFixed(2)} MB`,
          met: slope <= 1,
        },
        {
          text: "p99 drift from the first third to the last ≤ 10 %",
          value: `${first.toFixed(1)} to ${last.toFixed(1)} ms, ${drift.toFixed(1)} %`,
          met: steady.length < 3 ? null : drift <= 10,
        },
        {
          text: "descriptors flat",
          value: `${Math.min(...descriptors)}–${Math.max(...descriptors)}`,
          // The connections of the load are closed and opened between two parts.
          met: Math.max(...descriptors) <= (descriptors[0] ?? 0) + 4 + connections && isFlat(descriptors),
        },
      ],
      notes: [
        `offered ${Math.round(top.perSecond * 0.6)} requests/s; RSS ${settled[0]?.rssMb.toFixed(0)} MB at first, ${settled.at(-1)?.rssMb.toFixed(0)} MB at last`,
      ],
    };
  },
};

/** Is the most in the last third no more than in the first, but for a few? */
function isFlat(counts: readonly number[]): boolean {
  const third = Math.max(1, Math.floor(counts.length / 3));
  return Math.max(...counts.slice(-third)) <= Math.max(...counts.slice(0, third)) + 4;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Parts that ran one after the other, as one. */
function inTurn(parts: readonly LoadSample[]): LoadSample {
  const refusals: Record<string, number> = {};
  for (const part of parts) {
    for (const [kind, count] of Object.entries(part.refusals)) refusals[kind] = (refusals[kind] ?? 0) + count;
  }
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    perSecond: parts.reduce((sum, { perSecond }) => sum + perSecond, 0) / parts.length,
    p50Ms: median(parts.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(parts.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(...parts.map(({ maxMs }) => maxMs)),
    refusals,
  };
}

function processFigures(pid: number): { rssMb: number; descriptors: number } {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return { rssMb: (pages * 4_096) / 2 ** 20, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** Least-squares slope of [ms, MB] points, in MB for each 10 minutes. */
function slopePerTenMinutes(points: readonly (readonly [number, number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return under === 0 ? 0 : (over / under) * 600_000;
}
