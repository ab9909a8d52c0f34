// The stack that a user would assemble instead: Fastify 5, an API key check, @fastify/rate-limit on Redis, and
// @fastify/http-proxy to BACKEND. It does less than the gateway: no validation, idempotency, daily quota, scopes,
// metrics or access log.
import { createHash, timingSafeEqual } from "node:crypto";
import httpProxy from "@fastify/http-proxy";
import rateLimit from "@fastify/rate-limit";
import Fastify from "fastify";
import { Redis } from "ioredis";

const sha256 = (text) => createHash("sha256").update(text).digest();
const expected = sha256(process.env.API_KEY);
const app = Fastify({ logger: false });
app.addHook("onRequest", async (request, reply) => {
  const presented = sha256((request.headers.authorization ?? "").slice("Bearer ".length));
  if (!timingSafeEqual(presented, expected)) return reply.code(401).send({ error: "unauthenticated" });
});
await app.register(rateLimit, {
  max: 1_000_000_000,
  timeWindow: 60_000,
  redis: new Redis(process.env.REDIS_URL),
  keyGenerator: () => "client",
});
await app.register(httpProxy, { upstream: process.env.BACKEND, prefix: "/" });
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`LISTENING ${app.server.address().port}`);
