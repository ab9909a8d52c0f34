import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { freePort } from "@platform/test-kit/free-port";
import type { TestMongo } from "@platform/test-kit/mongo";
import { operatorCall } from "./fixture.ts";

const entry = fileURLToPath(new URL("../../identity-svc/src/start-server.ts", import.meta.url));

/** The real identity-svc as a process of its own, on a database beside the test's. */
export async function startTestIdentity(mongo: TestMongo, redisUrl: string) {
  const port = await freePort();
  const operatorToken = randomBytes(24).toString("hex");
  const child = spawn(process.execPath, [entry], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      GRPC_PORT: `${port}`,
      HTTP_PORT: "0",
      PROBE_PORT: "0",
      MONGODB_URI: mongo.uri,
      MONGODB_DATABASE: `${mongo.database}_identity`,
      REDIS_URL: redisUrl,
      SERVICE_KEY: randomBytes(32).toString("base64"),
      OPERATOR_TOKEN: operatorToken,
      LOG_LEVEL: "error",
    },
  });
  const exited = once(child, "exit");
  const connection = connectGrpc({
    address: `127.0.0.1:${port}`,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}` },
  });
  const isReady = await connection.ready(30_000);
  if (!isReady) throw new Error("identity-svc did not start");
  const admin = connection.service(ProjectClientAdminService);
  const setQuota = async (clientId: string, limit: number): Promise<void> => {
    await admin.setQuota(
      { projectClientId: clientId, resource: "scheduled_invocations", limit: BigInt(limit) },
      operatorCall(),
    );
  };
  return {
    address: `127.0.0.1:${port}`,
    setQuota,
    /** Makes a Project Client with a limit of scheduled invocations a day. */
    createClient: async (environment = "development", limit = 1_000_000): Promise<string> => {
      const { projectClient } = await admin.createProjectClient({ name: "test", environment }, operatorCall());
      const id = projectClient?.id ?? "";
      await setQuota(id, limit);
      return id;
    },
    disableClient: (projectClientId: string) => admin.disableProjectClient({ projectClientId }, operatorCall()),
    close: async () => {
      connection.close();
      child.kill("SIGTERM");
      await exited;
    },
  };
}
