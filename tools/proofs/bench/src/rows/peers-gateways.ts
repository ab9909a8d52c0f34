import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Server, startServer } from "../processes.ts";
import { installGoProgram, installNginx, installSpringGateway } from "../programs/install.ts";
import { peerFile, startNginx, startProgram } from "../programs/start-program.ts";
import type { Bench } from "../row.ts";
import { eventBody, httpContender, publishing } from "./contenders.ts";
import { startGatewayAlone } from "./gateway-alone.ts";
import { behindNotes, type Peer, type PeerGroup, peerChecks, startPeers } from "./peer.ts";

const ours = "gateway: POST /domain-events, in front of a service that only answers";

/** Measures gateways in front of a service that responds immediately, with 64 connections and one processor each. */
export async function gatewayPeers(bench: Bench): Promise<PeerGroup> {
  const platform = await bench.platform();
  const { credential, stack } = platform;
  const directory = await mkdtemp(join(tmpdir(), "bench-gateways-"));
  bench.defer(() => rm(directory, { recursive: true, force: true }));
  const alone = await startGatewayAlone(bench, platform);
  const answering = await startServer("../peers/node-echo.mjs", { place: "stores" });
  bench.defer(answering.stop);
  const backend = `127.0.0.1:${answering.port}`;
  const values = { API_KEY: credential, BACKEND: backend };

  const peer = (name: string, work: Peer["work"], start: () => Promise<Server>): Peer => ({
    name,
    work,
    start: async () => {
      const server = await start();
      bench.defer(server.stop);
      return httpContender(bench, name, "peer", { port: server.port, credential, body: eventBody });
    },
  });
  const { contenders, notes } = await startPeers([
    peer("Spring Cloud Gateway with its Redis limiter", "same work", async () => {
      const jar = installSpringGateway();
      return startProgram({
        command: "java",
        args: () => ["-XX:ActiveProcessorCount=1", "-jar", jar],
        env: { ...values, BACKEND: `http://${backend}`, REDIS_URL: stack.redisUrl },
      });
    }),
    peer("Fastify 5 + rate limit + proxy", "same work", () =>
      startServer("../peers/fastify-stack.mjs", {
        env: { ...values, BACKEND: `http://${backend}`, REDIS_URL: stack.redisUrl },
      }),
    ),
    peer("nginx", "leaves out a hashed key and a limit that replicas share", async () =>
      startNginx(installNginx(), "gateway.conf", { directory, values }),
    ),
    peer("Caddy", "leaves out a hashed key and any limit", async () =>
      startProgram({
        command: installGoProgram("caddy"),
        args: () => ["run", "--config", peerFile("caddy/Caddyfile"), "--adapter", "caddyfile"],
        env: { ...values, GOMAXPROCS: "1", XDG_CONFIG_HOME: directory, XDG_DATA_HOME: directory },
      }),
    ),
  ]);
  const measured = await bench.measure([
    httpContender(bench, ours, "ours", publishing(platform, alone)),
    ...contenders,
    httpContender(bench, "the answering service itself", "baseline", { port: answering.port, body: eventBody }),
  ]);
  return {
    measured,
    checks: peerChecks(measured, ours),
    notes: [
      ...behindNotes(measured, ours),
      ...notes,
      "Gateways: the work is to check a hashed API key, to count the request against a limit in Redis that all replicas share, and to pass it on. Ours also checks the scope, validates the body, spends a daily quota, and claims and settles the Idempotency-Key. Each has one process with one processor.",
    ],
  };
}
