import { setTimeout as delay } from "node:timers/promises";
import type { LoadSample } from "../load/sample.ts";
import { type Platform, unlimited } from "../platform.ts";
import { type Generator, startGenerator, startServer } from "../processes.ts";
import { type Bench, beforeChecks, type Contender, differenceCheck, type Row, ratioCheck } from "../row.ts";
import { eventBody, httpLoad, publishing } from "./contenders.ts";

const quietPerSecond = 200;
/** Enough connections for all due requests, even if responses take a tenth of a second. */
const quietConnections = 32;
const floodConnections = 512;
/** Requests per minute that the refused flood may send; it exhausts them in its first moments. */
const refusedLimit = 60;
const operations = ["GET /project-client", "POST /domain-events"] as const;
const floods = ["a flood that is admitted", "a flood beyond its quota"] as const;

type Operation = (typeof operations)[number];

const alone = (operation: Operation): string => `quiet ${operation}, alone`;
const beside = (operation: Operation, flood: string): string => `quiet ${operation}, beside ${flood}`;
const bare = (operation: Operation): string => `bare Express, quiet ${operation.split(" ")[0]}, beside a flood`;
/** Allowed excess of the quiet client's 99th percentile over that of bare Express. */
const moreMs = 25;

/** Measures a flood of one client together with a few requests of another one. */
export const floodRow: Row = {
  id: "FLOOD",
  title: `${quietPerSecond} requests/s of one client while another sends as fast as it can on ${floodConnections} connections`,
  run: async (bench) => {
    const flooder = startGenerator({ isYielding: true });
    bench.defer(flooder.stop);
    const contenders: Contender[] = [];
    for (const version of bench.versions) {
      contenders.push(...(await contendersOf(bench, flooder, await bench.platform(version))));
    }
    const express = await startServer("../peers/express-echo.mjs");
    bench.defer(express.stop);
    contenders.push(...operations.map((operation) => bareContender(bench, flooder, express.port, operation)));
    const measured = await bench.measure(contenders);
    const flooded = operations.flatMap((operation) => floods.map((flood) => beside(operation, flood)));
    return {
      measured,
      checks: [
        ...operations.flatMap((operation) =>
          floods.map((flood) =>
            differenceCheck(measured, [beside(operation, flood), bare(operation)], {
              ...{ atMostMs: moreMs, figure: "p99Ms" },
            }),
          ),
        ),
        ...operations.flatMap((operation) =>
          floods.map((flood) =>
            ratioCheck(measured, [beside(operation, flood), alone(operation)], { figure: "p99Ms" }),
          ),
        ),
        ...beforeChecks(bench, measured, flooded, { atMost: 1.5, figure: "p99Ms" }),
      ],
      notes: [
        "Both ask for the same operation. A quiet request's latency counts from when it was due. The flood begins half a second earlier, from a process that gives way to its neighbour's: they share a core, as no two clients do.",
      ],
    };
  },
};

async function contendersOf(bench: Bench, flooder: Generator, platform: Platform): Promise<Contender[]> {
  const { credential: quiet } = await platform.newClient(unlimited);
  const admitted = await platform.newClient(unlimited);
  const refused = await platform.newClient(refusedLimit);
  const loadOf = (operation: Operation, credential: string) =>
    httpLoad({
      ...(operation === "GET /project-client"
        ? { port: platform.port, path: "/api/v1/project-client" }
        : publishing(platform, platform.port)),
      credential,
      connections: floodConnections,
    });
  const contender = (name: string, operation: Operation, flood: string | null): Contender => ({
    name: platform.version.prefix + name,
    role: "ours",
    run: (durationMs) =>
      quietAndFlood(bench, flooder, {
        quiet: loadOf(operation, quiet),
        flood: flood === null ? null : loadOf(operation, flood),
        durationMs,
      }),
  });
  return operations.flatMap((operation) => [
    contender(alone(operation), operation, null),
    contender(beside(operation, floods[0]), operation, admitted.credential),
    contender(beside(operation, floods[1]), operation, refused.credential),
  ]);
}

/**
 * Creates the contender that uses only Express, without checks or a further call. It shows how long requests wait in Node itself while 512 connections are
 * served.
 */
function bareContender(bench: Bench, flooder: Generator, port: number, operation: Operation): Contender {
  const body = operation === "GET /project-client" ? {} : { body: eventBody };
  const load = httpLoad({ port, ...body, connections: floodConnections });
  return {
    name: bare(operation),
    role: "baseline",
    run: (durationMs) => quietAndFlood(bench, flooder, { quiet: load, flood: load, durationMs }),
  };
}

type Load = ReturnType<typeof httpLoad>;

/** Measures the quiet client from half a second after the flood begins until half a second before it ends. */
async function quietAndFlood(
  bench: Bench,
  flooder: Generator,
  { quiet, flood, durationMs }: { readonly quiet: Load; readonly flood: Load | null; readonly durationMs: number },
): Promise<LoadSample> {
  const few = { ...quiet, connections: quietConnections, perSecond: quietPerSecond, durationMs };
  if (flood === null) return bench.generator.run("http", few);
  const flooding = flooder.run("http", { ...flood, durationMs: durationMs + 1_000 });
  await delay(500);
  const sample = await bench.generator.run("http", few);
  await flooding;
  return sample;
}
