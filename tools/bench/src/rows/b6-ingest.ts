import { type Check, type Measured, named, type Row, ratioCheck, spread } from "../row.ts";
import { startGatewayAlone } from "./gateway-alone.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const inFlight = 64;
const ours = "POST /domain-events";
const raw = "driver insertOne, same write concern";
const gateway = "gateway alone, nothing is stored";
const atLeast = 0.85;

/** Beside whichever is slower: no platform is faster than its database, nor than its gateway. */
function ceilingCheck(measured: readonly Measured[]): Check {
  const rate = (name: string): number => spread(named(measured, name), "perSecond").median;
  const slower = rate(raw) < rate(gateway) ? raw : gateway;
  const ratio = rate(ours) / rate(slower);
  return {
    text: `${ours} / the slower of the two, here ${slower} ≥ ${atLeast}`,
    value: `${ratio.toFixed(2)} ×`,
    met: ratio >= atLeast,
  };
}

/** Durable ingest through everything, beside the driver alone on the same MongoDB and the gateway in front of nothing. */
export const ingestRow: Row = {
  id: "B6",
  title: "Durable ingest, 64 in flight",
  run: async (bench) => {
    const platform = await bench.platform();
    const alone = await startGatewayAlone(bench, platform);
    const publishing = {
      connections: inFlight,
      path: "/api/v1/domain-events",
      headers: authorized(platform),
      body: eventBody,
      idempotencyKey: "fresh",
    } as const;
    const measured = await bench.measure([
      httpContender(bench, { ...publishing, name: ours, role: "ours", port: platform.port }),
      {
        name: raw,
        role: "baseline",
        unit: "inserts/s",
        run: (durationMs) =>
          bench.generator.run("mongo", { what: "insert", uri: platform.stack.mongodbUri, inFlight, durationMs }),
      },
      httpContender(bench, { ...publishing, name: gateway, role: "baseline", port: alone.port }),
    ]);
    return {
      measured,
      checks: [
        ceilingCheck(measured),
        ratioCheck(measured, [ours, raw], null),
        ratioCheck(measured, [ours, gateway], null),
      ],
      notes: [
        "events-svc's inserts of one turn go out as one command (group commit); the driver's go out one by one. The events are numbered and handed on meanwhile, on the same MongoDB.",
      ],
    };
  },
};
