import { serverNodeArguments } from "@platform/stack/components";
import { benchProgram, nodeArgumentsOf } from "../checkout/version.ts";
import { startServer } from "../processes.ts";
import { beforeChecks, type Contender, type Row, ratioCheck } from "../row.ts";

const inFlight = 64;
const ours = "kit call";
const unary = "grpc-js unary, 4 channels";
const unit = "calls/s";

/**
 * Measures only the call from gateway to service: a Domain Event message in both directions, compared with bytes that
 * grpc-js sends and receives.
 */
export const hopRow: Row = {
  id: "B3",
  title: `The gRPC hop alone, ${inFlight} in flight`,
  run: async (bench) => {
    const contender = async (
      name: string,
      script: string,
      root: string | null,
      nodeArguments: readonly string[],
    ): Promise<Contender> => {
      const server = await startServer(script, { nodeArguments });
      bench.defer(server.stop);
      const load = { root, address: `127.0.0.1:${server.port}`, inFlight };
      const run = (durationMs: number) => bench.generator.run("grpc", { ...load, durationMs });
      return { name, role: root === null ? "peer" : "ours", unit, run };
    };
    const contenders: Contender[] = [];
    for (const version of bench.versions) {
      const { root, prefix } = version;
      const script = benchProgram(root, "src/servers/domain-event-echo.ts");
      contenders.push(await contender(prefix + ours, script, root, (await nodeArgumentsOf(version)).server));
    }
    // Both processes have the same flags, so that the ratio shows only the calls.
    contenders.push(await contender(unary, "../peers/grpc-echo.mjs", null, serverNodeArguments));
    const measured = await bench.measure(contenders);
    return {
      measured,
      checks: [ratioCheck(measured, [ours, unary], { atLeast: 5 }), ...beforeChecks(bench, measured, [ours], {})],
      notes: [
        "Ours encodes and decodes a real message on both sides and carries tenant, correlation id and idempotency claim; the peer moves bytes.",
      ],
    };
  },
};
