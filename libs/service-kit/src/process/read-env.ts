import { z } from "zod";

/**
 * Reads the environment by a schema. Throws one Error that names every bad variable, one a line, so that a process that cannot start
 * says all that is wrong at once.
 */
export function readEnv<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.output<T> {
  // An empty variable is an unset one: `NAME= command` and an empty line of an env file mean the default.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`bad configuration\n  ${lines.join("\n  ")}`);
}

const base64Key = z
  .string()
  .transform((text) => new Uint8Array(Buffer.from(text, "base64")))
  .refine((bytes) => bytes.byteLength === 32, "must be 32 bytes in base64 (openssl rand -base64 32)");

/** Fields that many processes read; spread those needed into a process's own schema. */
export const envFields = {
  port: (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback),
  host: z.string().default("127.0.0.1"),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  mongodbUri: z.string().startsWith("mongodb"),
  redisUrl: z.string().regex(/^rediss?:\/\//, "must start with redis:// or rediss://"),
  address: z
    .string()
    .regex(
      /^([^\s:,]+:\d+|[\d.]+:\d+(,[\d.]+:\d+)+)$/,
      "must be host:port, or several IPv4 addresses with ports, separated by commas",
    ),
  url: z.url().transform((text) => text.replace(/\/$/, "")),
  serviceKey: base64Key,
  serviceKeyPrevious: z
    .string()
    .optional()
    .transform((text) => (text === undefined ? [] : text.split(",")))
    .pipe(z.array(base64Key)),
  operatorToken: z.string().min(32, "must have at least 32 characters"),
  boolean: (fallback: boolean) => z.stringbool().default(fallback),
} as const;

/** Where a service keeps its documents; spread into its schema. */
export const mongoEnv = (database: string) => ({
  MONGODB_URI: envFields.mongodbUri,
  MONGODB_DATABASE: z.string().min(1).default(database),
  /** Before the name of the database, so that several stacks can share one server. */
  MONGODB_DATABASE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/, "must be up to 40 letters, digits, _ and -")
    .default(""),
  MONGODB_AUTO_INDEX: envFields.boolean(true),
});

/** What a service connects to its database by. */
export function mongoSettings(env: z.output<z.ZodObject<ReturnType<typeof mongoEnv>>>) {
  return {
    uri: env.MONGODB_URI,
    database: `${env.MONGODB_DATABASE_PREFIX}${env.MONGODB_DATABASE}`,
    autoIndex: env.MONGODB_AUTO_INDEX,
  };
}

/** The three files of mutual TLS: all or none. */
export const tlsEnv = {
  GRPC_TLS_CA: z.string().optional(),
  GRPC_TLS_CERT: z.string().optional(),
  GRPC_TLS_KEY: z.string().optional(),
} as const;

/** Turns the three TLS variables into files, or null when none is set. Throws when only some are. */
export function tlsFiles(env: {
  GRPC_TLS_CA?: string | undefined;
  GRPC_TLS_CERT?: string | undefined;
  GRPC_TLS_KEY?: string | undefined;
}) {
  const { GRPC_TLS_CA: caPath, GRPC_TLS_CERT: certPath, GRPC_TLS_KEY: keyPath } = env;
  if (caPath === undefined && certPath === undefined && keyPath === undefined) return null;
  if (caPath === undefined || certPath === undefined || keyPath === undefined) {
    throw new Error("bad configuration\n  GRPC_TLS_CA, GRPC_TLS_CERT and GRPC_TLS_KEY: set all three or none");
  }
  return { caPath, certPath, keyPath };
}
