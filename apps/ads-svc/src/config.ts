import { defineServiceConfig } from "@platform/kit/service/config";
import { z } from "zod";

export const { readBackupConfig, readMigrationConfig, readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "ads",
  ports: { grpc: 8098, serverProbes: 8128, workerProbes: 8148 },
  env: {
    /** The claim `iss` of decision tokens. Tokens of another deployment are rejected. */
    ADS_TOKEN_ISSUER: z.string().min(1).max(255).default("platform-ads"),
  },
  settings: (env) => ({ tokenIssuer: env.ADS_TOKEN_ISSUER }),
});

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
