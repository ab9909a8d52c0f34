import { type Row, ratioCheck } from "../row.ts";
import { driverInsert, httpContender, publishing } from "./contenders.ts";
import { startGatewayAlone } from "./gateway-alone.ts";

const ours = "POST /domain-events";
const raw = "driver insertOne, same write concern";
const gateway = "gateway alone, nothing is stored";

/**
 * Measures durable ingest through all layers, compared with the bare driver on the same store and with the gateway
 * without a service.
 */
export const ingestRow: Row = {
  id: "B6",
  title: "Durable ingest, 64 in flight",
  run: async (bench) => {
    const platform = await bench.platform();
    const measured = await bench.measure([
      httpContender(bench, ours, "ours", publishing(platform, platform.port)),
      driverInsert(bench, platform, raw),
      httpContender(bench, gateway, "baseline", publishing(platform, await startGatewayAlone(bench, platform))),
    ]);
    return {
      measured,
      checks: [ratioCheck(measured, [ours, raw]), ratioCheck(measured, [ours, gateway])],
      notes: [
        "events-svc gathers the inserts of one event-loop tick into one command (group commit); the driver sends each by itself. The events are sequenced and published meanwhile, on the same store.",
      ],
    };
  },
};
