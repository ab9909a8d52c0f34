import { startServer } from "../processes.ts";
import { type Contender, named, type Row, ratioCheck, spread } from "../row.ts";

const inFlight = 64;
const ours = "service-kit call";
const unary = "grpc-js unary, 4 channels";

/** The hop between gateway and service alone: a Domain Event message there and back, against bytes echoed by grpc-js. */
export const hopRow: Row = {
  id: "B3",
  title: "The gRPC hop alone, 64 in flight",
  run: async (bench) => {
    const kit = await startServer("./servers/domain-event-echo.ts");
    const plain = await startServer("../peers/grpc-echo.mjs");
    for (const server of [kit, plain]) bench.defer(server.stop);
    const contender = (name: string, client: "platform" | "grpc-js", port: number, channels: number): Contender => ({
      name,
      role: client === "platform" ? "ours" : "peer",
      unit: "calls/s",
      run: (durationMs) =>
        bench.generator.run("grpc", {
          client,
          address: `127.0.0.1:${port}`,
          channels,
          inFlight,
          durationMs,
          projectClientId: "00000000-0000-7000-8000-000000000000",
        }),
    });
    const measured = await bench.measure([
      contender(ours, "platform", kit.port, 1),
      contender(unary, "grpc-js", plain.port, 4),
    ]);
    const p99 = spread(named(measured, ours), "p99Ms").median;
    return {
      measured,
      checks: [
        ratioCheck(measured, [ours, unary], 5),
        { text: `${ours}, p99 ≤ 2.5 ms`, value: `${p99.toFixed(2)} ms`, met: p99 <= 2.5 },
      ],
      notes: [
        "Ours encodes and decodes a real message on both sides and carries tenant, correlation id and idempotency claim; the peer moves bytes.",
      ],
    };
  },
};
