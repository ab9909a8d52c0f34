import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createLogger, createMetrics } from "@platform/kit/process/telemetry";
import { implementForOperators, serveGrpc } from "@platform/kit/rpc/server";
import { connectMongo } from "@platform/kit/store/schema";
import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { servedPort } from "@platform/test-kit/served-port";
import { createTestPlane } from "./operator-fixture.ts";

/**
 * Starts a service in a process of its own. Its only RPC that changes something never ends, so that the process can be
 * killed between the two writes of a record.
 */
export async function startKilledOperator({ uri, database }: { uri: string; database: string }, token: string) {
  const env = { ...process.env, MONGODB_URI: uri, MONGODB_DATABASE: database, OPERATOR_TOKEN: token };
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const exited = once(child, "exit");
  return {
    port: await servedPort(child.stdout),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await exited;
    },
  };
}

if (import.meta.main) {
  const { MONGODB_URI: uri = "", MONGODB_DATABASE: database = "", OPERATOR_TOKEN: token = "" } = process.env;
  const logger = createLogger("killed", "info");
  const server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    services: [
      implementForOperators(FilesAdminService, {
        createImagePreset: () => new Promise(() => {}),
        listImagePresets: async () => ({}),
        getFileObject: async () => ({}),
      }),
    ],
    operators: createTestPlane(await connectMongo({ uri, database }), token),
    logger,
    metrics: createMetrics("killed", { processMetrics: false }),
  });
  logger.info({ port: server.port }, "serving");
}
