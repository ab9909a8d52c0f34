import { envFields } from "@platform/service-kit/process/read-env";
import { defineServiceConfig } from "@platform/service-kit/service/service-config";
import { z } from "zod";
import { overlayQuotaDefaults } from "./domain/quota-defaults.ts";

const quotaDefaults = z
  .string()
  .default("{}")
  .transform((text, context) => {
    try {
      const overrides = z
        .record(z.string(), z.union([z.number(), z.record(z.string(), z.number())]))
        .parse(JSON.parse(text));
      return overlayQuotaDefaults(overrides);
    } catch (error) {
      context.addIssue(`must be JSON of limits by environment and resource: ${(error as Error).message}`);
      return z.NEVER;
    }
  });

export const { readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "identity",
  ports: { grpc: 8090, http: 8091, serverProbes: 8120, workerProbes: 8140 },
  env: {
    PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, "must start with smtp:// or smtps://")
      .default("smtp://127.0.0.1:1025"),
    MAIL_FROM: z.string().default("Platform Accounts <accounts@platform.example>"),
    RECENT_AUTH_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
    QUOTA_DEFAULTS: quotaDefaults,
  },
  settings: (env) => ({
    publicBaseUrl: env.PUBLIC_BASE_URL,
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    recentAuthenticationSeconds: env.RECENT_AUTH_SECONDS,
    quotaDefaults: env.QUOTA_DEFAULTS,
  }),
});

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
