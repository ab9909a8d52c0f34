import { startServer } from "../processes.ts";
import { beforeChecks, type Contender, cpuChecks, type Row, ratioCheck } from "../row.ts";
import { eventBody, httpContender, publishing } from "./contenders.ts";
import { startGatewayAlone } from "./gateway-alone.ts";

const whole = "platform: the event is stored durably";
const gateway = "gateway: in front of a service that only answers";
const fastifyStack = "Fastify 5 + rate limit + proxy";

/** Measures the whole pipeline and, for comparison, the stack that a user would assemble instead, which does less. */
export const pipelineRow: Row = {
  id: "B1",
  title: "POST /domain-events through the whole pipeline, one gateway process, 64 connections",
  run: async (bench) => {
    const ours: Contender[] = [];
    for (const version of bench.versions) {
      const platform = await bench.platform(version);
      const alone = await startGatewayAlone(bench, platform);
      ours.push(
        httpContender(bench, version.prefix + whole, "ours", publishing(platform, platform.port)),
        httpContender(bench, version.prefix + gateway, "ours", publishing(platform, alone)),
      );
    }
    const { credential, stack } = await bench.platform();
    const backend = await startServer("../peers/node-echo.mjs", { place: "stores" });
    const fastify = await startServer("../peers/fastify-stack.mjs", {
      env: { API_KEY: credential, REDIS_URL: stack.redisUrl, BACKEND: `http://127.0.0.1:${backend.port}` },
    });
    const express = await startServer("../peers/express-echo.mjs");
    for (const server of [backend, fastify, express]) bench.defer(server.stop);
    const measured = await bench.measure([
      ...ours,
      httpContender(bench, fastifyStack, "peer", { port: fastify.port, credential, body: eventBody }),
      httpContender(bench, "Express, no hop", "baseline", { port: express.port, body: eventBody }),
    ]);
    return {
      measured,
      checks: [
        ratioCheck(measured, [gateway, fastifyStack], { atLeast: 1.25 }),
        ratioCheck(measured, [whole, fastifyStack]),
        ...beforeChecks(bench, measured, [gateway], { atLeast: 0.8 }),
        ...beforeChecks(bench, measured, [whole], { atLeast: 0.95 }),
        ...cpuChecks(measured),
      ],
      notes: [
        "The gateway authenticates, authorizes, validates, spends two quotas, claims and settles the key; the peer checks a key, counts, and proxies to a server that echoes.",
      ],
    };
  },
};
