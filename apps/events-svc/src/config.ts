import { defineServiceConfig, outboundAllowField } from "@platform/service-kit/service/service-config";
import { z } from "zod";

export const { readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "events",
  ports: { grpc: 8096, serverProbes: 8126, workerProbes: 8146 },
  env: {
    NATS_URL: z
      .string()
      .regex(/^(nats|tls):\/\//, "must start with nats:// or tls://")
      .optional(),
    OUTBOUND_ALLOW: outboundAllowField,
  },
  settings: (env) => ({
    /** Where events are relayed to, or null. */
    natsUrl: env.NATS_URL ?? null,
    /** Addresses and CIDR blocks scheduled operations may call in any environment. */
    outboundAllow: env.OUTBOUND_ALLOW,
  }),
});

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
