import type { LoadSample } from "../load/sample.ts";
import type { Platform } from "../platform.ts";
import { cpuMs, pin, startGenerator, startServer } from "../processes.ts";
import { type Contender, type Row, ratioCheck } from "../row.ts";
import { noopBody } from "./http-contenders.ts";

const connections = 64;
const echo = "../peers/express-echo.mjs";
const one = "one gateway";
const two = "two gateways";
const oneEcho = "one Express echo";
const twoEchoes = "two Express echoes";

/** A second process on a second core: what is shared (Redis) must not hold it back. */
export const twoGatewaysRow: Row = {
  id: "B11",
  title: "POST /noop through one and two gateway processes on a core each, 64 connections each",
  run: async (bench) => {
    const platform = await bench.platform();
    const generators = [startGenerator(), startGenerator()] as const;
    for (const { stop } of generators) bench.defer(stop);
    bench.defer(async () => place(platform, false));
    place(platform, true);
    const echoes = [await startServer(echo), await startServer(echo, { place: "second" })] as const;
    for (const { stop } of echoes) bench.defer(stop);
    const load = (port: number, durationMs: number, path = "/api/v1/noop") => ({
      port,
      method: "POST",
      path,
      headers: {},
      body: noopBody,
      idempotencyKey: "fresh" as const,
      connections,
      durationMs,
    });
    const both = async ([first, second]: readonly [number, number], durationMs: number, path?: string) =>
      together(
        await Promise.all([
          generators[0].run("http", load(first, durationMs, path)),
          generators[1].run("http", load(second, durationMs, path)),
        ]),
      );
    const watched = [
      ...(["gateway", "gateway-2", "redis"] as const).map((name) => ({ name, pid: platform.stack.pid(name) })),
      ...generators.map(({ pid }, index) => ({ name: `generator ${index + 1}`, pid })),
    ];
    let busy = "";
    const contenders: Contender[] = [
      { name: one, role: "ours", run: (durationMs) => generators[0].run("http", load(platform.port, durationMs)) },
      {
        name: two,
        role: "ours",
        run: async (durationMs) => {
          const before = watched.map(({ pid }) => cpuMs(pid));
          const sample = await both([platform.port, platform.secondPort], durationMs);
          busy = watched
            .map(
              ({ name, pid }, index) =>
                `${name} ${Math.round(((cpuMs(pid) - (before[index] ?? 0)) / durationMs) * 100)} %`,
            )
            .join(", ");
          return sample;
        },
      },
      {
        name: oneEcho,
        role: "baseline",
        run: (durationMs) => generators[0].run("http", load(echoes[0].port, durationMs, "/")),
      },
      {
        name: twoEchoes,
        role: "baseline",
        run: (durationMs) => both([echoes[0].port, echoes[1].port], durationMs, "/"),
      },
    ];
    const measured = await bench.measure(contenders);
    const notes = [
      "With four cores: a core for each gateway, one for Redis, one for both generators.",
      `Share of a core used while both ran, the last time: ${busy}. The ratio is the gateways' own only where none of the others is full.`,
    ];
    const checks = [
      ratioCheck(measured, [two, one], 1.85),
      // Two processes on the same cores that share nothing: what the cores themselves allow.
      ratioCheck(measured, [twoEchoes, oneEcho], null),
    ];
    return { measured, checks, notes };
  },
};

/** The second gateway gets a core of its own for this row, as the first one has. */
function place({ stack }: Platform, isForRow: boolean): void {
  for (const name of stack.names()) {
    if (name === "gateway") continue;
    if (isForRow) pin(stack.pid(name), name === "gateway-2" ? "second" : "rest");
    else pin(stack.pid(name), "stores");
  }
}

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
