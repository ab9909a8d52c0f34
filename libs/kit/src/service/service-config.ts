import type { RedisSettings } from "@platform/quota/connect-redis";
import { z } from "zod";
import { envFields, mongoEnv, mongoSettings, readEnv, redisEnv, redisSettings, tlsEnv } from "../process/read-env.ts";
import { type S3Access, s3Access, s3Env } from "../process/s3-env.ts";
import type { Keyring } from "../process/sealed.ts";
import { tlsFiles } from "../process/tls-files.ts";
import type { TlsSetting } from "../rpc/credentials.ts";
import type { MongoSettings } from "../store/connect.ts";
import { parseOutboundAllow } from "../web/outbound-policy.ts";

/** Settings of every process of a service. */
export type ServiceConfig = {
  readonly host: string;
  readonly probePort: number;
  readonly logLevel: string;
  readonly mongo: MongoSettings;
  readonly redis: RedisSettings;
  readonly keyring: Keyring;
  readonly identityAddress: string;
  /**
   * Address of events-svc, which keeps the hash chain of operator actions. If null, actions are recorded without the
   * chain.
   */
  readonly eventsAddress: string | null;
  readonly tls: TlsSetting;
};

/** Settings of tasks that need only the service's database. */
export type MigrationConfig = Pick<ServiceConfig, "mongo" | "keyring">;

/** Settings for backup and restore of the service's database. */
export type BackupConfig = MigrationConfig & {
  readonly backups: {
    /** Folder or `s3://bucket/prefix` below which each database has a series of backups; null for no backups. */
    readonly place: string | null;
    /** Number of finished backups of a series that are kept. */
    readonly keep: number;
    readonly s3: S3Access;
  };
};

/** Settings of backups, which the backup process spreads into its schema. */
const backupEnv = {
  BACKUP_PLACE: z
    .string()
    .regex(
      /^(s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^\s]+)?|(?!s3:)\S+)$/,
      "must be a folder or s3://bucket/prefix",
    )
    .transform((place) => place.replace(/\/+$/, ""))
    .optional(),
  BACKUP_KEEP: z.coerce.number().int().min(1).max(1000).default(14),
  ...s3Env,
} as const;

/** Further settings of a service's server process. */
export type ServerConfig = ServiceConfig & {
  readonly grpcPort: number;
  /** Port for HTTP; 0 for a service without HTTP. */
  readonly httpPort: number;
  /** True if the HTTP port serves callers without TLS in addition to those with TLS. */
  readonly isHttpPlaintextServed: boolean;
  readonly operatorToken: string;
  /** The previous operator token, which still works; null for none. */
  readonly operatorTokenPrevious: string | null;
  /** True if some actions of operators require the approval of a second person. */
  readonly isSecondPersonOn: boolean;
};

/** OUTBOUND_ALLOW: addresses and CIDR blocks that outgoing calls may reach in any environment. */
export const outboundAllowField = z
  .string()
  .default("")
  .transform((text, context) => {
    try {
      return parseOutboundAllow(text);
    } catch {
      context.addIssue("must be addresses and CIDR blocks with commas between");
      return z.NEVER;
    }
  });

type Definition<E extends z.ZodRawShape, S extends object> = {
  /** Name of the service's database. */
  readonly database: string;
  /** Default ports. */
  readonly ports: {
    readonly grpc: number;
    readonly http?: number;
    readonly serverProbes: number;
    readonly workerProbes: number;
  };
  /** The service's own variables. */
  readonly env: E;
  /** Variables of the server that are optional only in development, each with a description of its value. */
  readonly requiredBeyondDevelopment?: Readonly<Record<string, string>>;
  /** Turns the variables into settings. */
  readonly settings: (env: z.output<z.ZodObject<E>>) => S;
};

/**
 * Defines how the processes of a service read their environment: the common variables and the service's own. The
 * readers throw one Error that lists every invalid variable. Only the server has an operator token, because operators
 * do not call workers.
 */
export function defineServiceConfig<E extends z.ZodRawShape, S extends object>(definition: Definition<E, S>) {
  const { database, ports } = definition;
  const core = {
    HOST: envFields.host,
    LOG_LEVEL: envFields.logLevel,
    ...mongoEnv(database),
    ...redisEnv,
    REDIS_URL: redisEnv.REDIS_URL.prefault("redis://127.0.0.1:8101"),
    SERVICE_KEY: envFields.serviceKey,
    SERVICE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
    IDENTITY_GRPC: envFields.address.default("127.0.0.1:8090"),
    EVENTS_GRPC: envFields.address.optional(),
    ...tlsEnv,
  };
  const server = {
    ...core,
    PROBE_PORT: envFields.port(ports.serverProbes),
    GRPC_PORT: envFields.port(ports.grpc),
    HTTP_PORT: envFields.port(ports.http ?? 0),
    HTTP_PLAINTEXT: z.enum(["refuse", "allow"]).default("refuse"),
    OPERATOR_TOKEN: envFields.operatorToken,
    OPERATOR_TOKEN_PREVIOUS: envFields.operatorToken.optional(),
    SECOND_PERSON: z.enum(["off", "on"]).default("off"),
  };
  const worker = { ...core, PROBE_PORT: envFields.port(ports.workerProbes) };
  const migration = {
    ...mongoEnv(database),
    SERVICE_KEY: envFields.serviceKey,
    SERVICE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
  };

  const migrationSettings = (env: z.output<z.ZodObject<typeof migration>>): MigrationConfig => ({
    mongo: mongoSettings(env),
    keyring: { current: env.SERVICE_KEY, previous: env.SERVICE_KEY_PREVIOUS },
  });
  const read = <C extends z.ZodRawShape>(fields: C, env: NodeJS.ProcessEnv, required = {}) =>
    readEnv(z.object({ ...fields, ...definition.env }), env, required) as unknown as z.output<z.ZodObject<C>> &
      z.output<z.ZodObject<E>>;
  const settingsOf = (env: z.output<z.ZodObject<typeof worker>> & z.output<z.ZodObject<E>>): ServiceConfig & S => ({
    ...definition.settings(env),
    host: env.HOST,
    probePort: env.PROBE_PORT,
    logLevel: env.LOG_LEVEL,
    mongo: mongoSettings(env),
    redis: redisSettings(env),
    keyring: { current: env.SERVICE_KEY, previous: env.SERVICE_KEY_PREVIOUS },
    identityAddress: env.IDENTITY_GRPC,
    eventsAddress: env.EVENTS_GRPC ?? null,
    tls: tlsFiles(env),
  });

  return {
    readServerConfig: (env: NodeJS.ProcessEnv): ServerConfig & S => {
      const values = read(server, env, definition.requiredBeyondDevelopment);
      return {
        ...settingsOf(values),
        grpcPort: values.GRPC_PORT,
        httpPort: values.HTTP_PORT,
        isHttpPlaintextServed: values.HTTP_PLAINTEXT === "allow",
        operatorToken: values.OPERATOR_TOKEN,
        operatorTokenPrevious: values.OPERATOR_TOKEN_PREVIOUS ?? null,
        isSecondPersonOn: values.SECOND_PERSON === "on",
      };
    },
    readWorkerConfig: (env: NodeJS.ProcessEnv): ServiceConfig & S => settingsOf(read(worker, env)),
    /** Reads the settings of the migration step, which needs only the database. */
    readMigrationConfig: (env: NodeJS.ProcessEnv): MigrationConfig =>
      migrationSettings(readEnv(z.object(migration), env)),
    readBackupConfig: (env: NodeJS.ProcessEnv): BackupConfig => {
      const values = readEnv(z.object({ ...migration, ...backupEnv }), env);
      const { BACKUP_PLACE: place, BACKUP_KEEP: keep } = values;
      return { ...migrationSettings(values), backups: { place: place ?? null, keep, s3: s3Access(values) } };
    },
  };
}
