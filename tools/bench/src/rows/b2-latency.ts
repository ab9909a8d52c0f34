import { startNginx } from "../nginx.ts";
import { startServer } from "../processes.ts";
import { type Measured, named, type Row, spread } from "../row.ts";
import { startGatewayAlone } from "./gateway-alone.ts";
import { authorized, eventBody, httpContender } from "./http-contenders.ts";

const gateway = "gateway in front of a service that only answers";
const service = "that service by gRPC, without the gateway";
const echo = "node:http echo";
const nginx = "nginx in front of the echo";
const fastify = "Fastify stack in front of the echo";
const redis = "one EVALSHA of one INCR";

/** What each thing in front adds to what is behind it, for one caller that waits for each answer. */
export const latencyRow: Row = {
  id: "B2",
  title: "Latency added at one connection",
  run: async (bench) => {
    const platform = await bench.platform();
    const backend = await startServer("../peers/node-echo.mjs", { place: "stores" });
    const proxy = await startNginx(
      `proxy_pass http://127.0.0.1:${backend.port}; proxy_http_version 1.1; proxy_set_header Connection "";`,
    );
    const stack = await startServer("../peers/fastify-stack.mjs", {
      env: {
        API_KEY: platform.credential,
        REDIS_URL: platform.stack.redisUrl,
        BACKEND: `http://127.0.0.1:${backend.port}`,
      },
    });
    for (const server of [backend, proxy, stack]) bench.defer(server.stop);
    const alone = await startGatewayAlone(bench, platform);
    const headers = authorized(platform);
    const one = { connections: 1, headers, body: eventBody } as const;
    const measured = await bench.measure([
      httpContender(bench, {
        ...one,
        name: gateway,
        role: "ours",
        port: alone.port,
        path: "/api/v1/domain-events",
        idempotencyKey: "fresh",
      }),
      {
        name: service,
        role: "baseline",
        unit: "calls/s",
        run: (durationMs) =>
          bench.generator.run("grpc", {
            client: "platform",
            address: alone.eventsAddress,
            channels: 1,
            inFlight: 1,
            durationMs,
            projectClientId: platform.projectClientId,
          }),
      },
      httpContender(bench, { ...one, name: echo, role: "baseline", port: backend.port }),
      httpContender(bench, { ...one, name: nginx, role: "peer", port: proxy.port }),
      httpContender(bench, { ...one, name: fastify, role: "peer", port: stack.port }),
      {
        name: redis,
        role: "baseline",
        unit: "calls/s",
        run: (durationMs) =>
          bench.generator.run("redis", {
            what: "evalsha",
            connection: "ioredis",
            url: platform.stack.redisUrl,
            inFlight: 1,
            durationMs,
          }),
      },
    ]);
    const ours = added(measured, gateway, service);
    const theirs = added(measured, fastify, echo);
    const least = p50(measured, echo) + p50(measured, redis);
    return {
      measured,
      checks: [
        { text: "gateway adds at p50 ≤ 0.30 ms", value: `${ours.p50.toFixed(2)} ms`, met: ours.p50 <= 0.3 },
        { text: "gateway adds at p99 ≤ 1.2 ms", value: `${ours.p99.toFixed(2)} ms`, met: ours.p99 <= 1.2 },
        {
          text: "gateway adds at p50 less than the Fastify stack",
          value: `${ours.p50.toFixed(2)} against ${theirs.p50.toFixed(2)} ms`,
          met: ours.p50 < theirs.p50,
        },
      ],
      notes: [
        `nginx adds ${added(measured, nginx, echo).p50.toFixed(2)} ms at p50.`,
        `An answer over HTTP by Node and one by Redis take ${least.toFixed(2)} ms together: what asking Redis in front of a service costs here before anything else is done.`,
      ],
    };
  },
};

function p50(measured: readonly Measured[], name: string): number {
  return spread(named(measured, name), "p50Ms").median;
}

function added(measured: readonly Measured[], front: string, behind: string): { p50: number; p99: number } {
  const difference = (figure: "p50Ms" | "p99Ms"): number =>
    spread(named(measured, front), figure).median - spread(named(measured, behind), figure).median;
  return { p50: difference("p50Ms"), p99: difference("p99Ms") };
}
