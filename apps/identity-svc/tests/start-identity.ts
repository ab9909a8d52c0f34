import { randomBytes } from "node:crypto";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { type CallOptions, connectGrpc } from "@platform/service-kit/grpc/connect";
import { silentLogger } from "@platform/service-kit/process/logger";
import { newId } from "@platform/service-kit/secrets/id";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { readServerConfig } from "../src/config.ts";
import { createIdentityServer } from "../src/create-identity-server.ts";

export const operatorToken = "test-operator-token-".padEnd(40, "x");

/** A clock a test moves by hand. It starts at the real time, for the database expires documents by that. */
export function createTestClock() {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    advanceSeconds: (seconds: number) => {
      offsetMs += seconds * 1000;
    },
  };
}

/** Options of a call for a Project Client (or none), as the gateway would make it. */
export function callAs(
  projectClientId: string | null,
  idempotencyKey?: string,
  fingerprint = "f".repeat(64),
): CallOptions {
  return {
    context: {
      correlationId: newId(),
      operation: "test",
      projectClient: projectClientId === null ? null : { id: projectClientId, environment: "development" },
      idempotency: idempotencyKey === undefined ? null : { key: idempotencyKey, fingerprint },
    },
    deadlineMs: Date.now() + 30_000,
  };
}

/** Starts identity-svc with a database and a Redis of its own. */
export async function startIdentity(env: Record<string, string> = {}) {
  const [mongo, redis] = await Promise.all([startTestMongo(), startTestRedis()]);
  const clock = createTestClock();
  const config = readServerConfig({
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE: mongo.database,
    REDIS_URL: redis.url,
    SERVICE_KEY: randomBytes(32).toString("base64"),
    OPERATOR_TOKEN: operatorToken,
    GRPC_PORT: "0",
    HTTP_PORT: "0",
    PROBE_PORT: "0",
    ...env,
  });
  const server = await createIdentityServer(config, { logger: silentLogger(), clock: clock.now });
  const address = `127.0.0.1:${server.grpcPort}`;
  const gateway = connectGrpc({ address, tls: null });
  const operator = connectGrpc({ address, tls: null, metadata: { authorization: `Bearer ${operatorToken}` } });
  return {
    mongo,
    redis,
    clock,
    config,
    server,
    authentication: gateway.service(AuthenticationService),
    clients: operator.service(ProjectClientAdminService),
    /** The admin service as someone without the operator's token sees it. */
    clientsWithoutToken: gateway.service(ProjectClientAdminService),
    close: async () => {
      gateway.close();
      operator.close();
      await server.close();
      await redis.close();
      await mongo.close();
    },
  };
}

export type TestIdentity = Awaited<ReturnType<typeof startIdentity>>;

/** Makes a Project Client; resolves to its id. */
export async function makeClient(identity: TestIdentity, returnUris: string[] = []): Promise<string> {
  const reply = await identity.clients.createProjectClient(
    { name: "Test project", environment: "development", returnUris },
    callAs(null),
  );
  return reply.projectClient?.id ?? "";
}
