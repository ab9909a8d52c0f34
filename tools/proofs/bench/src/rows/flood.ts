import { setTimeout as delay } from "node:timers/promises";
import type { LoadSample } from "../load/sample.ts";
import { type Platform, unlimited } from "../platform.ts";
import { type Generator, startGenerator, startServer } from "../processes.ts";
import {
  beforeChecks,
  type Contender,
  differenceCheck,
  type Measured,
  onlySuccesses,
  type Row,
  ratioCheck,
} from "../row.ts";
import { eventBody, httpLoad, publishing } from "./contenders.ts";

const quietPerSecond = 200;
/** With fewer requests, a 99th percentile would be one of the six slowest. */
const leastSeconds = 10;
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
const floodOf = (operation: Operation, flood: string): string =>
  `${floodConnections} connections, ${operation}, ${flood}`;
const floodOfBare = (operation: Operation): string =>
  `${floodConnections} connections to Express, ${operation.split(" ")[0]}`;
/** Allowed excess of the quiet client's 99th percentile over that of bare Express. */
const moreMs = 25;

/** Measures a flood of one client together with a few requests of another one. */
export const floodRow: Row = {
  id: "FLOOD",
  title: `${quietPerSecond} requests/s of one client while another sends as fast as it can on ${floodConnections} connections`,
  run: async (bench) => {
    const flooder = startGenerator({ isYielding: true });
    bench.defer(flooder.stop);
    const loads: Loads = { quiet: bench.generator, flood: flooder, floods: new Map() };
    const contenders: Contender[] = [];
    for (const version of bench.versions) {
      contenders.push(...(await contendersOf(loads, await bench.platform(version))));
    }
    const express = await startServer("../peers/express-echo.mjs");
    bench.defer(express.stop);
    contenders.push(...operations.map((operation) => bareContender(loads, express.port, operation)));
    const seconds = Math.max(leastSeconds, bench.options.seconds);
    const quiet = await bench.measure(contenders, { runs: bench.options.runs, seconds });
    const measured = [...quiet, ...floodsOf(loads)];
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
        // A flood that is refused costs the server less than one that is admitted.
        ...operations.flatMap((operation) =>
          [floodOf(operation, floods[0]), floodOfBare(operation)].map((name) => onlySuccesses(measured, name)),
        ),
        ...operations.flatMap((operation) =>
          floods.map((flood) =>
            ratioCheck(measured, [beside(operation, flood), alone(operation)], { figure: "p99Ms" }),
          ),
        ),
        ...beforeChecks(bench, measured, flooded, { atMost: 1.5, figure: "p99Ms" }),
      ],
      notes: [
        `A run takes ${seconds} s. Both ask for the same operation. A quiet request's latency counts from when it was due. The flood begins half a second earlier, from a process that gives way to its neighbour's: they share a core, as no two clients do.`,
      ],
    };
  },
};

async function contendersOf(loads: Loads, platform: Platform): Promise<Contender[]> {
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
  const { prefix } = platform.version;
  const credentials = [admitted.credential, refused.credential];
  return operations.flatMap((operation): Contender[] => [
    {
      name: prefix + alone(operation),
      role: "ours",
      run: (durationMs) => loads.quiet.run("http", quietly(loadOf(operation, quiet), durationMs)),
    },
    ...floods.map((flood, index): Contender => {
      const loaded = { name: prefix + floodOf(operation, flood), load: loadOf(operation, credentials[index] ?? "") };
      const run = (durationMs: number) => quietAndFlood(loads, loadOf(operation, quiet), loaded, durationMs);
      return { name: prefix + beside(operation, flood), role: "ours", run };
    }),
  ]);
}

/**
 * Creates the contender that uses only Express, without checks or a further call. It shows how long requests wait in Node itself while 512 connections are
 * served.
 */
function bareContender(loads: Loads, port: number, operation: Operation): Contender {
  const body = operation === "GET /project-client" ? {} : { body: eventBody };
  const load = httpLoad({ port, ...body, connections: floodConnections });
  return {
    name: bare(operation),
    role: "baseline",
    run: (durationMs) => quietAndFlood(loads, load, { name: floodOfBare(operation), load }, durationMs),
  };
}

type Load = ReturnType<typeof httpLoad>;

/** The two processes that send requests, and what the flood of each name has received in each run. */
type Loads = {
  readonly quiet: Pick<Generator, "run">;
  readonly flood: Pick<Generator, "run">;
  readonly floods: Map<string, LoadSample[]>;
};

const quietly = (load: Load, durationMs: number) => ({
  ...load,
  ...{ connections: quietConnections, perSecond: quietPerSecond, durationMs },
});

/** Measures the quiet client from half a second after the flood begins until half a second before it ends. */
async function quietAndFlood(
  loads: Loads,
  quiet: Load,
  { name, load }: { readonly name: string; readonly load: Load },
  durationMs: number,
): Promise<LoadSample> {
  const flooding = loads.flood.run("http", { ...load, durationMs: durationMs + 1_000 });
  await delay(500);
  const sample = await loads.quiet.run("http", quietly(quiet, durationMs));
  loads.floods.set(name, [...(loads.floods.get(name) ?? []), await flooding]);
  return sample;
}

/** Returns the floods as lines of the table. They are the condition of the measurement, and not a result of the platform. */
function floodsOf({ floods }: Loads): Measured[] {
  // The first sample of each is the warm-up.
  return [...floods].map(([name, samples]) => ({
    ...{ name, role: "baseline", unit: "requests/s", samples: samples.slice(1) },
  }));
}
