import { type Row, ratioCheck } from "../row.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const inFlight = 64;
const ours = "POST /domain-events";
const raw = "driver insertOne, same write concern";

/** Durable ingest through everything, beside the driver alone on the same MongoDB. */
export const ingestRow: Row = {
  id: "B6",
  title: "Durable ingest, 64 in flight",
  run: async (bench) => {
    const platform = await bench.platform();
    const measured = await bench.measure([
      httpContender(bench, {
        name: ours,
        role: "ours",
        port: platform.port,
        connections: inFlight,
        path: "/api/v1/domain-events",
        headers: authorized(platform),
        body: eventBody,
        idempotencyKey: "fresh",
      }),
      {
        name: raw,
        role: "baseline",
        unit: "inserts/s",
        run: (durationMs) =>
          bench.generator.run("mongo", { what: "insert", uri: platform.stack.mongodbUri, inFlight, durationMs }),
      },
    ]);
    return {
      measured,
      checks: [ratioCheck(measured, [ours, raw], 0.85)],
      notes: [
        "events-svc's inserts of one turn go out as one command (group commit); the driver's go out one by one. The events are numbered and handed on meanwhile, on the same MongoDB.",
      ],
    };
  },
};
