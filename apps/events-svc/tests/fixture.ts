import { randomBytes } from "node:crypto";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { type CallOptions, connectGrpc, steadyNowMs } from "@platform/kit/rpc/client";
import type { ServiceOverrides } from "@platform/kit/service/start";
import { ProjectAuditPruneService } from "@platform/proto/events/v1/audit_prune_admin";
import { ProjectAuditAdminService, ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import {
  DomainEventService,
  ProjectAuditService,
  QuotaLevelService,
  ScheduledOperationService,
} from "@platform/proto/events/v1/events_service";
import { ScheduledCallAdminService } from "@platform/proto/events/v1/scheduled_call_admin";
import { ScheduledRunAdminService } from "@platform/proto/events/v1/scheduled_run_admin";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { readServerConfig, type ServerConfig } from "../src/config.ts";
import { createEventsServer } from "../src/create-events-server.ts";

/**
 * Data with numbers that JavaScript would write differently or could not represent: beyond the range of a double,
 * with more digits, trailing zeros, signs and exponents.
 */
export const unusualNumbers =
  '{"far":[-1e400,1E400,1e-400],"id":9007199254740993,"p":0.1234567890123456789,"price":1.10,"__proto__":{"n":-0,"e":1E+2}}';

/** Settings of a service on the test's own database and on free ports. */
export function testConfig(mongo: TestMongo, extra: Record<string, string> = {}): ServerConfig {
  return readServerConfig(testEnv(mongo, extra));
}

export function testEnv(mongo: TestMongo, extra: Record<string, string> = {}): Record<string, string> {
  return {
    GRPC_PORT: "0",
    PROBE_PORT: "0",
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE: mongo.database,
    REDIS_URL: "redis://127.0.0.1:1",
    SERVICE_KEY: randomBytes(32).toString("base64"),
    OPERATOR_TOKEN: "operator-".repeat(5),
    LOG_LEVEL: "silent",
    ...extra,
  };
}

/** The services of a running server, as the gateway and platformctl call them. */
export function connectEventsSvc(grpcPort: number, operatorToken: string) {
  const connection = connectGrpc({
    address: `127.0.0.1:${grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" },
  });
  return {
    audits: connection.service(ProjectAuditService),
    events: connection.service(DomainEventService),
    schedules: connection.service(ScheduledOperationService),
    quotaLevels: connection.service(QuotaLevelService),
    auditAdmin: connection.service(ProjectAuditAdminService),
    scheduleAdmin: connection.service(ScheduledOperationAdminService),
    subscriptions: connection.service(SubscriptionAdminService),
    callAdmin: connection.service(ScheduledCallAdminService),
    runAdmin: connection.service(ScheduledRunAdminService),
    pruneAdmin: connection.service(ProjectAuditPruneService),
    consumer: connection.service(DomainEventConsumerService),
    close: () => connection.close(),
  };
}

/** A server on a database, and clients of its services. */
export async function startTestServer(
  mongo: TestMongo,
  extra: Record<string, string> = {},
  overrides: ServiceOverrides = {},
) {
  const config = testConfig(mongo, extra);
  const server = await createEventsServer(config, { logger: silentLogger(), ...overrides });
  const services = connectEventsSvc(server.grpcPort, config.operatorToken);
  return {
    config,
    grpcPort: server.grpcPort,
    ...services,
    close: async () => {
      services.close();
      await server.close();
    },
  };
}

/** Options of a call that the gateway would make for a client, with a new key unless one is given. */
export function callFor(
  clientId: string,
  claim: { key?: string; fingerprint?: string; environment?: string } = {},
): CallOptions {
  return {
    context: {
      correlationId: newId(),
      operation: "test",
      projectClient: { id: clientId, environment: claim.environment ?? "development" },
      idempotency: { key: claim.key ?? newId(), fingerprint: claim.fingerprint ?? "f".repeat(64) },
    },
    deadlineMs: steadyNowMs() + 60_000,
  };
}

/** Options of an operator's call. */
export function operatorCall(signal?: AbortSignal): CallOptions {
  return {
    context: { correlationId: newId(), operation: "test", projectClient: null, idempotency: null },
    ...defined({ signal }),
  };
}

export { startTestMongo };
