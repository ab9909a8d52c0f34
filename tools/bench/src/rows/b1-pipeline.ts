import { startServer } from "../processes.ts";
import { atMostCheck, type Row, ratioCheck } from "../row.ts";
import { startGatewayAlone } from "./gateway-alone.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const connections = 64;
const whole = "platform: the event is stored durably";
const gateway = "gateway: in front of a service that only answers";
const fastifyStack = "Fastify 5 + rate limit + proxy";

/** The whole pipeline beside the stack a user would put together, which does less. */
export const pipelineRow: Row = {
  id: "B1",
  title: "POST /domain-events through the whole pipeline, one gateway process, 64 connections",
  run: async (bench) => {
    const platform = await bench.platform();
    const backend = await startServer("../peers/node-echo.mjs", { place: "stores" });
    const fastify = await startServer("../peers/fastify-stack.mjs", {
      env: {
        API_KEY: platform.credential,
        REDIS_URL: platform.stack.redisUrl,
        BACKEND: `http://127.0.0.1:${backend.port}`,
      },
    });
    const express = await startServer("../peers/express-echo.mjs");
    for (const server of [backend, fastify, express]) bench.defer(server.stop);
    const headers = authorized(platform);
    const alone = await startGatewayAlone(bench, platform);
    const publishing = {
      connections,
      path: "/api/v1/domain-events",
      headers,
      body: eventBody,
      idempotencyKey: "fresh",
    } as const;
    const measured = await bench.measure([
      httpContender(bench, { ...publishing, name: whole, role: "ours", port: platform.port }),
      httpContender(bench, { ...publishing, name: gateway, role: "ours", port: alone.port }),
      httpContender(bench, {
        name: fastifyStack,
        role: "peer",
        port: fastify.port,
        connections,
        headers,
        body: eventBody,
      }),
      httpContender(bench, {
        name: "Express, no hop",
        role: "baseline",
        port: express.port,
        connections,
        body: eventBody,
      }),
    ]);
    return {
      measured,
      checks: [
        ratioCheck(measured, [whole, fastifyStack], 1.5),
        atMostCheck(measured, [whole, fastifyStack], 0.3, "p99Ms"),
        ratioCheck(measured, [gateway, fastifyStack], 1.5),
        atMostCheck(measured, [gateway, fastifyStack], 0.3, "p99Ms"),
      ],
      notes: [
        "The gateway authenticates, authorises, validates, spends two quotas, claims and settles the key in both of ours; the peer checks a key, counts, and proxies to a server that echoes.",
      ],
    };
  },
};
