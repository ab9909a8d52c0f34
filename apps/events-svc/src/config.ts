import { defineServiceConfig, outboundAllowField } from "@platform/kit/service/config";
import { natsEnv, natsSettings } from "./worker/relay/nats-settings.ts";

export const { readBackupConfig, readMigrationConfig, readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "events",
  ports: { grpc: 8096, serverProbes: 8126, workerProbes: 8146 },
  env: {
    ...natsEnv,
    OUTBOUND_ALLOW: outboundAllowField,
  },
  settings: (env) => ({
    /** The NATS server to which events are relayed, or null. */
    nats: natsSettings(env),
    /** Addresses and CIDR blocks that scheduled operations may call in any environment, in addition to public ones. */
    outboundAllow: env.OUTBOUND_ALLOW,
  }),
});

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
