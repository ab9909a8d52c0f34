import { type Contender, type Row, ratioCheck } from "../row.ts";

const concurrencies = [16, 64, 256] as const;
const hot = (inFlight: number): string => `one hot campaign, ${inFlight} in flight`;
const many = (inFlight: number): string => `100 campaigns, ${inFlight} in flight`;
const http = "over HTTP: one hot campaign, 64 in flight";
const httpMany = "over HTTP: 100 campaigns, 64 in flight";
const raw = (inFlight: number): string => `driver insertOne, ${inFlight} in flight`;

/** Durable, deduplicated and charged impressions over gRPC, beside the driver alone on the same MongoDB. */
export const impressionsRow: Row = {
  id: "IMPRESSIONS",
  title: "Viewable impressions recorded and charged by one ads-svc",
  run: async (bench) => {
    const { stack, port } = await bench.platform();
    const address = stack.settings.ADS_GRPC ?? "";
    const operatorToken = stack.settings.OPERATOR_TOKEN ?? "";
    const ours = (
      name: string,
      campaigns: number,
      inFlight: number,
      way: { gatewayPort?: number } = {},
    ): Contender => ({
      name,
      role: "ours",
      unit: "impressions/s",
      run: (durationMs) =>
        bench.generator.run("impressions", { address, operatorToken, campaigns, inFlight, durationMs, ...way }),
    });
    const driver = (inFlight: number): Contender => ({
      name: raw(inFlight),
      role: "baseline",
      unit: "inserts/s",
      run: (durationMs) =>
        bench.generator.run("mongo", { what: "insert", uri: stack.mongodbUri, inFlight, durationMs }),
    });
    const measured = await bench.measure([
      ...concurrencies.flatMap((inFlight) => [
        driver(inFlight),
        ours(hot(inFlight), 1, inFlight),
        ours(many(inFlight), 100, inFlight),
      ]),
      ours(http, 1, 64, { gatewayPort: port }),
      ours(httpMany, 100, 64, { gatewayPort: port }),
    ]);
    return {
      measured,
      checks: [
        ...concurrencies.flatMap((inFlight) => [
          ratioCheck(measured, [hot(inFlight), raw(inFlight)], 0.5),
          ratioCheck(measured, [many(inFlight), raw(inFlight)], 0.5),
        ]),
        ratioCheck(measured, [hot(256), hot(64)], 0.9),
        ratioCheck(measured, [http, raw(64)], 0.85),
        ratioCheck(measured, [httpMany, raw(64)], 0.85),
      ],
      notes: [
        "Ours verifies an Ed25519 signature for each, and every ledger is recounted after its run: charges add up to floor(n × 250 / 1000).",
      ],
    };
  },
};
