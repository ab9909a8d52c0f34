import { setTimeout as delay } from "node:timers/promises";
import type { Platform } from "../platform.ts";
import { type Generator, startGenerator } from "../processes.ts";
import { atMostCheck, type Bench, type Contender, type Row } from "../row.ts";
import { eventBody } from "./http-contenders.ts";

const quietPerSecond = 200;
const quietConnections = 4;
const floodConnections = 512;
/** Requests a minute the refused flood is allowed: gone within its first moments. */
const refusedLimit = 60;

type What = { readonly name: string; readonly path: string; readonly body: string | null };

const read: What = { name: "GET /project-client", path: "/api/v1/project-client", body: null };
const publish: What = { name: "POST /domain-events", path: "/api/v1/domain-events", body: eventBody };

const alone = (what: What): string => `quiet ${what.name}, alone`;
const beside = (what: What, flood: string): string => `quiet ${what.name}, beside ${flood}`;

/** One client's flood beside another client's few requests: the gateway makes it wait for its turn, or refuses it without asking anyone. */
export const floodRow: Row = {
  id: "FLOOD",
  title: `${quietPerSecond} requests/s of one client while another sends as fast as it can on ${floodConnections} connections`,
  run: async (bench) => {
    const platform = await bench.platform();
    const quiet = await newClient(platform, "Quiet", 1_000_000_000);
    const admitted = await newClient(platform, "Flood", 1_000_000_000);
    const refused = await newClient(platform, "Refused", refusedLimit);
    const flooder = startGenerator({ isYielding: true });
    bench.defer(flooder.stop);
    const contenders = [read, publish].flatMap((what) => [
      contender(bench, platform, { name: alone(what), what, credential: quiet, flood: null }),
      contender(bench, platform, {
        name: beside(what, "a flood that is admitted"),
        what,
        credential: quiet,
        flood: { generator: flooder, credential: admitted },
      }),
      contender(bench, platform, {
        name: beside(what, "a flood beyond its quota"),
        what,
        credential: quiet,
        flood: { generator: flooder, credential: refused },
      }),
    ]);
    const floods: string[] = [];
    const measured = await bench.measure(contenders.map(({ noted, ...one }) => ({ ...one, run: noted(floods) })));
    const checks = [read, publish].flatMap((what) =>
      ["a flood that is admitted", "a flood beyond its quota"].map((flood) =>
        atMostCheck(measured, [beside(what, flood), alone(what)], 2, "p99Ms"),
      ),
    );
    const notes = [
      "Both ask for the same operation. The flood begins half a second before its neighbour is measured, from a process of its own that gives way to the neighbour's: they share a core, as no two clients do.",
      ...floods.slice(-4),
    ];
    return { measured, checks, notes };
  },
};

type Part = {
  readonly name: string;
  readonly what: What;
  readonly credential: string;
  readonly flood: { readonly generator: Generator; readonly credential: string } | null;
};

function contender(bench: Bench, platform: Platform, { name, what, credential, flood }: Part) {
  const load = (key: string, connections: number, durationMs: number) => ({
    port: platform.port,
    method: what.body === null ? "GET" : "POST",
    path: what.path,
    headers: { authorization: `Bearer ${key}` },
    body: what.body,
    idempotencyKey: what.body === null ? ("none" as const) : ("fresh" as const),
    connections,
    durationMs,
  });
  const noted =
    (notes: string[]): Contender["run"] =>
    async (durationMs) => {
      const quiet = () =>
        bench.generator.run("http", {
          ...load(credential, quietConnections, durationMs),
          perSecond: quietPerSecond,
        });
      if (flood === null) return quiet();
      const flooding = flood.generator.run("http", load(flood.credential, floodConnections, durationMs + 1_000));
      await delay(500);
      const sample = await quiet();
      const { perSecond, p99Ms, refusals } = await flooding;
      const kinds = JSON.stringify(refusals).replaceAll('"', "");
      notes.push(`${name}: it sent ${Math.round(perSecond)}/s, p99 ${Math.round(p99Ms)} ms, not 2xx ${kinds}`);
      return sample;
    };
  return { name, role: "ours" as const, noted };
}

async function newClient(platform: Platform, name: string, trafficLimit: number): Promise<string> {
  const ctl = async (...args: string[]) => (await platform.ctl(args)) as { id: string; credential: string };
  const { id } = await ctl("clients", "create", "--name", name, "--environment", "development");
  for (const resource of ["events", "api_traffic"]) {
    const limit = resource === "events" ? 1_000_000_000 : trafficLimit;
    await ctl("quotas", "set", "--client", id, "--resource", resource, "--limit", `${limit}`);
  }
  return (await ctl("credentials", "issue", "--client", id, "--scopes", "clients:read,events:write")).credential;
}
