import { envFields, mongoEnv, mongoSettings, readEnv, tlsEnv, tlsFiles } from "@platform/service-kit/process/read-env";
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

const fields = {
  HOST: envFields.host,
  ...mongoEnv("identity"),
  REDIS_URL: envFields.redisUrl,
  SERVICE_KEY: envFields.serviceKey,
  SERVICE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
  PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, "must start with smtp:// or smtps://")
    .default("smtp://127.0.0.1:1025"),
  MAIL_FROM: z.string().default("Platform Accounts <accounts@platform.example>"),
  RECENT_AUTH_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
  LOG_LEVEL: envFields.logLevel,
  ...tlsEnv,
};

const serverSchema = z.object({
  ...fields,
  GRPC_PORT: envFields.port(8090),
  HTTP_PORT: envFields.port(8091),
  PROBE_PORT: envFields.port(8120),
  OPERATOR_TOKEN: envFields.operatorToken,
  QUOTA_DEFAULTS: quotaDefaults,
});

const workerSchema = z.object({ ...fields, PROBE_PORT: envFields.port(8140) });

function serviceSettings(env: z.output<z.ZodObject<typeof fields>>) {
  return {
    host: env.HOST,
    logLevel: env.LOG_LEVEL,
    mongodb: mongoSettings(env),
    redisUrl: env.REDIS_URL,
    keyring: { current: env.SERVICE_KEY, previous: env.SERVICE_KEY_PREVIOUS },
    publicBaseUrl: env.PUBLIC_BASE_URL,
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM },
    recentAuthenticationSeconds: env.RECENT_AUTH_SECONDS,
    tls: tlsFiles(env),
  };
}

/** Settings of the server process. Throws an Error naming every bad variable. */
export function readServerConfig(env: NodeJS.ProcessEnv) {
  const parsed = readEnv(serverSchema, env);
  return {
    ...serviceSettings(parsed),
    grpcPort: parsed.GRPC_PORT,
    httpPort: parsed.HTTP_PORT,
    probePort: parsed.PROBE_PORT,
    operatorToken: parsed.OPERATOR_TOKEN,
    quotaDefaults: parsed.QUOTA_DEFAULTS,
  };
}

/** Settings of the worker process. Throws an Error naming every bad variable. */
export function readWorkerConfig(env: NodeJS.ProcessEnv) {
  const parsed = readEnv(workerSchema, env);
  return { ...serviceSettings(parsed), probePort: parsed.PROBE_PORT };
}

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
