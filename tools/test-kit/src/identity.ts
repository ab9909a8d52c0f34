import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { newId } from "@platform/kit/process/secrets";
import { type CallOptions, connectGrpc, steadyNowMs } from "@platform/kit/rpc/client";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { MemberAdminService } from "@platform/proto/identity/v1/member_admin";
import type { TestMongo } from "./mongo.ts";
import { servedPort } from "./served-port.ts";
import { endChild } from "./test-process.ts";

const entry = fileURLToPath(new URL("../../../apps/identity-svc/src/start-server.ts", import.meta.url));

const operatorCall = (): CallOptions => ({
  context: { correlationId: newId(), operation: "test", projectClient: null, idempotency: null },
  deadlineMs: steadyNowMs() + 60_000,
});

/**
 * Starts the real identity-svc as a separate process, with a database of its own on the test's server.
 * @param grpcPort port of its server; 0 for a free port
 * @param env further settings
 */
export async function startTestIdentity(
  mongo: TestMongo,
  redisUrl: string,
  grpcPort = 0,
  env: Readonly<Record<string, string>> = {},
) {
  const operatorToken = randomBytes(24).toString("hex");
  const child = spawn(process.execPath, [entry], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      GRPC_PORT: `${grpcPort}`,
      HTTP_PORT: "0",
      PROBE_PORT: "0",
      MONGODB_URI: mongo.uri,
      MONGODB_DATABASE: `${mongo.database}_identity`,
      REDIS_URL: redisUrl,
      SERVICE_KEY: randomBytes(32).toString("base64"),
      OPERATOR_TOKEN: operatorToken,
      LOG_LEVEL: "info",
      ...env,
    },
  });
  const port = await servedPort(child.stdout);
  const connection = connectGrpc({
    address: `127.0.0.1:${port}`,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}` },
  });
  if (!(await connection.ready(60_000))) {
    await endChild(child);
    throw new Error("identity-svc cannot be reached");
  }
  const admin = connection.service(ProjectClientAdminService);
  const members = connection.service(MemberAdminService);
  const setQuota = async (clientId: string, limit: number): Promise<void> => {
    await admin.setQuota(
      { projectClientId: clientId, resource: "scheduled_invocations", limit: BigInt(limit) },
      operatorCall(),
    );
  };
  return {
    address: `127.0.0.1:${port}`,
    operatorToken,
    setQuota,
    /** Creates a Project Client with a daily limit of scheduled invocations. */
    createClient: async (environment = "development", limit = 1_000_000): Promise<string> => {
      const { projectClient } = await admin.createProjectClient({ name: "test", environment }, operatorCall());
      const id = projectClient?.id ?? "";
      await setQuota(id, limit);
      return id;
    },
    /** Invites a person into a project. @returns the member's id */
    addMember: async (projectClientId: string, email: string, role: string): Promise<string> => {
      const { member } = await members.addMember({ projectClientId, email, role }, operatorCall());
      return member?.id ?? "";
    },
    removeMember: (memberId: string) => members.removeMember({ memberId }, operatorCall()),
    disableClient: (projectClientId: string) => admin.disableProjectClient({ projectClientId }, operatorCall()),
    enableClient: (projectClientId: string) => admin.enableProjectClient({ projectClientId }, operatorCall()),
    close: async () => {
      connection.close();
      await endChild(child, "SIGTERM");
    },
  };
}
