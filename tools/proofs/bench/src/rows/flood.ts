import { setTimeout as delay } from "node:timers/promises";
import { type Platform, unlimited } from "../platform.ts";
import { type Generator, startGenerator } from "../processes.ts";
import { type Bench, beforeChecks, type Contender, type Row, ratioCheck } from "../row.ts";
import { httpLoad, publishing } from "./contenders.ts";

const quietPerSecond = 200;
/** Enough connections for due requests even if responses take a tenth of a second. */
const quietConnections = 32;
const floodConnections = 512;
/** Requests a minute that the refused flood is allowed: gone within its first moments. */
const refusedLimit = 60;
const operations = ["GET /project-client", "POST /domain-events"] as const;
const floods = ["a flood that is admitted", "a flood beyond its quota"] as const;

type Operation = (typeof operations)[number];

const alone = (operation: Operation): string => `quiet ${operation}, alone`;
const beside = (operation: Operation, flood: string): string => `quiet ${operation}, beside ${flood}`;

/** One client's flood alongside another client's few requests. */
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
    const measured = await bench.measure(contenders);
    const flooded = operations.flatMap((operation) => floods.map((flood) => beside(operation, flood)));
    return {
      measured,
      checks: [
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
    run: async (durationMs) => {
      const few = { ...loadOf(operation, quiet), connections: quietConnections, perSecond: quietPerSecond, durationMs };
      if (flood === null) return bench.generator.run("http", few);
      const flooding = flooder.run("http", { ...loadOf(operation, flood), durationMs: durationMs + 1_000 });
      await delay(500);
      const sample = await bench.generator.run("http", few);
      await flooding;
      return sample;
    },
  });
  return operations.flatMap((operation) => [
    contender(alone(operation), operation, null),
    contender(beside(operation, floods[0]), operation, admitted.credential),
    contender(beside(operation, floods[1]), operation, refused.credential),
  ]);
}
