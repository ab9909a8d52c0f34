import { randomBytes } from "node:crypto";
import { newId } from "@platform/kit/process/secrets";
import { type Logger, silentLogger } from "@platform/kit/process/telemetry";
import { type CallOptions, connectGrpc, type GrpcConnection, steadyNowMs } from "@platform/kit/rpc/client";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import { BrandAdminService } from "@platform/proto/identity/v1/brand_admin";
import { AccountAdminService, ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { AuthenticationService } from "@platform/proto/identity/v1/identity_service";
import { MigrationAdminService } from "@platform/proto/identity/v1/migration_admin";
import { ProjectClientSearchAdminService } from "@platform/proto/identity/v1/project_client_search_admin";
import { startProviderSink } from "@platform/provider-sink";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { readServerConfig, readWorkerConfig } from "../src/config.ts";
import { createIdentityServer } from "../src/create-identity-server.ts";
import { createIdentityWorker } from "../src/create-identity-worker.ts";

export const operatorToken = "test-operator-token-".padEnd(40, "x");

/** A clock that a test can advance. It starts at the real time, because the database expires documents by real time. */
export function createTestClock() {
  let offsetMs = 0;
  let stoppedAt: Date | null = null;
  return {
    now: () => stoppedAt ?? new Date(Date.now() + offsetMs),
    /** Stops the clock at a time. */
    stopAt: (at: Date) => {
      stoppedAt = at;
    },
    resume: () => {
      stoppedAt = null;
    },
    advanceSeconds: (seconds: number) => {
      offsetMs += seconds * 1000;
    },
  };
}

/** Options of a call as the gateway would send it, for a Project Client or for none. */
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
    deadlineMs: steadyNowMs() + 30_000,
  };
}

/** Starts identity-svc, server and worker, with a database, a Redis and a mail server of its own. */
export async function startIdentity(env: Record<string, string> = {}, logger: Logger = silentLogger()) {
  const [mongo, redis, sink] = await Promise.all([startTestMongo(), startTestRedis(), startProviderSink()]);
  const clock = createTestClock();
  const settings = {
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE: mongo.database,
    REDIS_URL: redis.url,
    SERVICE_KEY: randomBytes(32).toString("base64"),
    SMTP_URL: sink.smtpUrl,
    OPERATOR_TOKEN: operatorToken,
    GRPC_PORT: "0",
    HTTP_PORT: "0",
    PROBE_PORT: "0",
    ...env,
  };
  const server = await createIdentityServer(readServerConfig(settings), { logger, clock: clock.now });
  const startWorker = () => createIdentityWorker(readWorkerConfig(settings), { logger, clock: clock.now });
  let worker = await startWorker();
  const address = `127.0.0.1:${server.grpcPort}`;
  const connections: GrpcConnection[] = [];
  const connect = (metadata: Record<string, string> = {}): GrpcConnection => {
    const connection = connectGrpc({ address, tls: null, metadata });
    connections.push(connection);
    return connection;
  };
  const gateway = connect();
  const operator = connect({ authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" });
  return {
    mongo,
    redis,
    sink,
    clock,
    settings,
    server,
    /** Opens another connection to the server, with its own metadata. It is closed with the service. */
    connect,
    pagesUrl: `http://127.0.0.1:${server.httpPort}`,
    authentication: gateway.service(AuthenticationService),
    migration: gateway.service(IdentityMigrationService),
    clients: operator.service(ProjectClientAdminService),
    brands: operator.service(BrandAdminService),
    clientSearch: operator.service(ProjectClientSearchAdminService),
    accounts: operator.service(AccountAdminService),
    support: operator.service(AccountSupportService),
    migrations: operator.service(MigrationAdminService),
    /** The admin services for a caller without the operator's token. */
    clientsWithoutToken: gateway.service(ProjectClientAdminService),
    stopWorker: () => worker.close(),
    startWorker: async () => {
      worker = await startWorker();
    },
    close: async () => {
      for (const connection of connections) connection.close();
      await worker.close();
      await server.close();
      await Promise.all([redis.close(), mongo.close(), sink.close()]);
    },
  };
}

export type TestIdentity = Awaited<ReturnType<typeof startIdentity>>;

/** Creates a Project Client and returns its id. */
export async function makeClient(identity: TestIdentity, returnUris: string[] = []): Promise<string> {
  const reply = await identity.clients.createProjectClient(
    { name: "Test project", environment: "development", returnUris },
    callAs(null),
  );
  return reply.projectClient?.id ?? "";
}
