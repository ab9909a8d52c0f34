import { startServer } from "../processes.ts";
import { type Bench, type Contender, type Row, ratioCheck } from "../row.ts";
import { startGatewayAlone } from "./gateway-alone.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const inFlight = 64;

/** The same work with a mechanism and without it. */
type Pair = { readonly withIt: Contender; readonly without: Contender };

/** What the platform does otherwise than one would at first, each beside the plain way: what is no faster than that has no reason to stay. */
export const mechanismsRow: Row = {
  id: "MECHANISMS",
  title: "Each mechanism with and without it, 64 in flight",
  run: async (bench) => {
    const pairs = [await muxStreams(bench), await groupCommit(bench), await oneScript(bench), await rawBody(bench)];
    const measured = await bench.measure(pairs.flatMap(({ withIt, without }) => [withIt, without]));
    return {
      measured,
      checks: pairs.map(({ withIt, without }) => ratioCheck(measured, [withIt.name, without.name], 1)),
      notes: [
        "The gateway stands in front of a service that only answers, the same in both; without streams each call is a gRPC call of its own.",
        "The separate commands are sent one after the other, since each is only due when the one before it has granted the request.",
        "Both readers of bodies run under Express, check UTF-8 and depth, and fingerprint what they parsed.",
      ],
    };
  },
};

/** POST /domain-events through a whole gateway. */
async function muxStreams(bench: Bench): Promise<Pair> {
  const platform = await bench.platform();
  const contender = async (name: string, role: Contender["role"], transport: "mux" | "unary"): Promise<Contender> => {
    const { port } = await startGatewayAlone(bench, platform, { GRPC_TRANSPORT: transport });
    return httpContender(bench, {
      name,
      role,
      port,
      connections: inFlight,
      path: "/api/v1/domain-events",
      headers: authorized(platform),
      body: eventBody,
      idempotencyKey: "fresh",
    });
  };
  return {
    withIt: await contender("gateway, calls on streams", "ours", "mux"),
    without: await contender("gateway, unary calls", "baseline", "unary"),
  };
}

/** Durable inserts on the stack's MongoDB. */
async function groupCommit(bench: Bench): Promise<Pair> {
  const { stack } = await bench.platform();
  const contender = (name: string, role: Contender["role"], what: "groupCommit" | "insert"): Contender => ({
    name,
    role,
    unit: "inserts/s",
    run: (durationMs) => bench.generator.run("mongo", { what, uri: stack.mongodbUri, inFlight, durationMs }),
  });
  return {
    withIt: contender("group commit", "ours", "groupCommit"),
    without: contender("insertOne each", "baseline", "insert"),
  };
}

/** Two quotas and an idempotency claim in Redis. */
async function oneScript(bench: Bench): Promise<Pair> {
  const { stack } = await bench.platform();
  const load = { url: stack.redisUrl, inFlight };
  return {
    withIt: {
      name: "admission by one script",
      role: "ours",
      unit: "admissions/s",
      run: (durationMs) =>
        bench.generator.run("redis", { ...load, what: "admission", connection: "gateway", durationMs }),
    },
    without: {
      name: "admission by separate commands",
      role: "baseline",
      unit: "admissions/s",
      run: (durationMs) => bench.generator.run("redisCommands", { ...load, durationMs }),
    },
  };
}

/** A JSON body read, checked, parsed and fingerprinted. */
async function rawBody(bench: Bench): Promise<Pair> {
  const contender = async (name: string, role: Contender["role"], body: string): Promise<Contender> => {
    const server = await startServer("./servers/body-parser.ts", { env: { BODY: body } });
    bench.defer(server.stop);
    return httpContender(bench, { name, role, port: server.port, connections: inFlight, body: eventBody });
  };
  return {
    withIt: await contender("body read by the pipeline", "ours", "pipeline"),
    without: await contender("body read by express.json", "baseline", "express.json"),
  };
}
