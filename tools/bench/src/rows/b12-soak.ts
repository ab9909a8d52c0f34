import { readdirSync, readFileSync } from "node:fs";
import type { Row } from "../row.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const connections = 64;

/** The gateway's memory and descriptors under a steady load, for as long as SECONDS says. Run it alone: `make bench ROWS=B12 RUNS=1 SECONDS=3600`. */
export const soakRow: Row = {
  id: "B12",
  title: "Soak at 60 % of the gateway's own rate",
  isOnRequest: true,
  run: async (bench) => {
    const platform = await bench.platform();
    const headers = authorized(platform);
    const target = { port: platform.port, connections, path: "/api/v1/domain-events", headers, body: eventBody };
    const top = await httpContender(bench, { ...target, name: "", role: "ours", idempotencyKey: "fresh" }).run(5_000);
    const pid = platform.stack.pid("gateway");
    const marks: { atMs: number; rssMb: number; descriptors: number }[] = [];
    const watch = setInterval(() => marks.push({ atMs: performance.now(), ...processFigures(pid) }), 1_000);
    const parts: number[] = [];
    const measured = await bench.measure([
      {
        name: "gateway",
        role: "ours",
        run: async (durationMs) => {
          const sample = await bench.generator.run("http", {
            ...target,
            method: "POST",
            idempotencyKey: "fresh",
            durationMs,
            perSecond: top.perSecond * 0.6,
          });
          parts.push(sample.p99Ms);
          return sample;
        },
      },
    ]);
    clearInterval(watch);
    const settled = marks.slice(Math.floor(marks.length / 2));
    const slope = slopePerTenMinutes(settled.map(({ atMs, rssMb }) => [atMs, rssMb]));
    const descriptors = settled.map((mark) => mark.descriptors);
    const [first = 1, last = 1] = [parts[1], parts.at(-1)];
    return {
      measured,
      checks: [
        { text: "RSS slope, second half ≤ 1 MB in 10 min", value: `${slope.toFixed(2)} MB`, met: slope <= 1 },
        { text: "p99 drift ≤ 10 %", value: `${((last / first - 1) * 100).toFixed(1)} %`, met: last <= first * 1.1 },
        {
          text: "descriptors flat",
          value: `${Math.min(...descriptors)}–${Math.max(...descriptors)}`,
          met: Math.max(...descriptors) - Math.min(...descriptors) <= 4,
        },
      ],
      notes: [`offered ${Math.round(top.perSecond * 0.6)} requests/s`],
    };
  },
};

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
