import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { z } from "zod";

/**
 * Reads the environment by a schema. Throws one Error that lists every invalid variable, one per line, so that a
 * process that cannot start reports all problems in one message.
 * @param requiredBeyondDevelopment variables that are optional only in development (DEPLOYMENT_ENVIRONMENT), each with
 * a description of its value
 */
export function readEnv<T extends z.ZodType>(
  schema: T,
  env: NodeJS.ProcessEnv,
  requiredBeyondDevelopment: Readonly<Record<string, string>> = {},
): z.output<T> {
  // An empty variable counts as unset, so that `NAME= command` and an empty value in an env file select the default.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = schema.safeParse(given);
  const lines = (result.error?.issues ?? []).map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  const { DEPLOYMENT_ENVIRONMENT: environment = "development" } = given;
  if (environment !== "development")
    for (const [name, what] of Object.entries(requiredBeyondDevelopment))
      if (given[name] === undefined) lines.push(`${name}: is required in ${environment}: ${what}`);
  if (result.success && lines.length === 0) return result.data;
  throw new Error(`bad configuration\n  ${lines.join("\n  ")}`);
}

/** Returns whether the text is an IP address, with or without a prefix length. */
function isAddressOrRange(text: string): boolean {
  const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}

const base64Key = z
  .string()
  .transform((text) => new Uint8Array(Buffer.from(text, "base64")))
  .refine((bytes) => bytes.byteLength === 32, "must be 32 bytes in base64 (openssl rand -base64 32)");

const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ family }) => family === "IPv6") === true);

/** Describes TRUSTED_PROXIES for processes that are behind proxies. */
export const trustedProxiesRequired =
  "the addresses or CIDR ranges of the proxies in front, or none where callers connect directly";

/** Fields that many processes read. A process spreads the ones it needs into its own schema. */
export const envFields = {
  port: (fallback: number) => z.coerce.number().int().min(0).max(65535).default(fallback),
  /** `::` listens on IPv6 and IPv4; on a machine without IPv6 it listens on all IPv4 addresses. */
  host: z
    .string()
    .default("127.0.0.1")
    .transform((host) => (host === "::" && !hasIpv6() ? "0.0.0.0" : host)),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  mongodbUri: z.string().startsWith("mongodb"),
  address: z
    .string()
    .regex(
      /^(\[[^\s\]]+\]|[^\s:,]+):\d{1,5}(,(\[[^\s\]]+\]|[^\s:,]+):\d{1,5})*$/,
      "must be host:port, or several of them separated by commas; an IPv6 address stands in brackets",
    ),
  url: z.url().transform((text) => text.replace(/\/$/, "")),
  serviceKey: base64Key,
  serviceKeyPrevious: z
    .string()
    .optional()
    .transform((text) => (text === undefined ? [] : text.split(",")))
    .pipe(z.array(base64Key)),
  operatorToken: z.string().min(32, "must have at least 32 characters"),
  /** Kind of installation. Staging and production require settings that are optional in development. */
  deploymentEnvironment: z.enum(["development", "staging", "production"]).default("development"),
  /** Addresses of trusted proxies. Null if nothing was configured; an empty list for `none`. */
  trustedProxies: z
    .string()
    .default("")
    .transform((text) => {
      const entries = text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
      return entries.length === 0 ? null : entries.filter((entry) => entry !== "none");
    })
    .refine(
      (entries) => entries === null || entries.every(isAddressOrRange),
      "must be addresses or CIDR ranges, separated by commas, or none",
    ),
  boolean: (fallback: boolean) => z.stringbool().default(fallback),
} as const;

/** How long a stopping process lets transfers continue. */
export const transferDrainEnv = {
  TRANSFER_DRAIN_SECONDS: z.coerce.number().int().min(1).max(14_400).default(10),
} as const;

/** Settings of a service's database, which a service spreads into its schema. */
export const mongoEnv = (database: string) => ({
  MONGODB_URI: envFields.mongodbUri,
  MONGODB_DATABASE: z.string().min(1).default(database),
  /** Prefix of the database name, so that several stacks can share one server. */
  MONGODB_DATABASE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,40}$/, "must be up to 40 letters, digits, _ and -")
    .default(""),
  MONGODB_AUTO_INDEX: envFields.boolean(true),
});

/** Turns the variables of MongoDB into the settings of `connectMongo`. */
export function mongoSettings(env: z.output<z.ZodObject<ReturnType<typeof mongoEnv>>>) {
  return {
    uri: env.MONGODB_URI,
    database: `${env.MONGODB_DATABASE_PREFIX}${env.MONGODB_DATABASE}`,
    autoIndex: env.MONGODB_AUTO_INDEX,
  };
}

/**
 * The three files of mutual TLS, of which all or none must be set, and whether plain text is allowed beyond loopback
 * without them.
 */
export const tlsEnv = {
  GRPC_PLAINTEXT_BEYOND_LOOPBACK: z.enum(["refuse", "allow"]).default("refuse"),
  GRPC_TLS_CA: z.string().optional(),
  GRPC_TLS_CERT: z.string().optional(),
  GRPC_TLS_KEY: z.string().optional(),
} as const;

const list = z.string().transform((text) => text.split(",").map((part) => part.trim()));

const isRedisUrl = (text: string): boolean =>
  /^rediss?:\/\//.test(text) && URL.canParse(text) && new URL(text).hostname !== "";
const isSentinel = (text: string): boolean =>
  /^(redis:\/\/(\S*@)?)?([\w.-]+|\[[\da-f:]+\])(:\d+)?$/i.test(text) &&
  isRedisUrl(text.includes("://") ? text : `redis://${text}`);

/** Location of Redis: one server, a Cluster, or the primary that Sentinel names. */
export const redisEnv = {
  REDIS_URL: list
    .refine((urls) => urls.every(isRedisUrl), {
      abort: true,
      error: "must be redis:// or rediss:// with a host; several, separated by commas, are nodes of a Cluster",
    })
    .refine(
      (urls) => new Set(urls.map((url) => url.split(":")[0])).size === 1,
      "must be all redis:// or all rediss://",
    ),
  REDIS_SENTINELS: list
    .refine((sentinels) => sentinels.every(isSentinel), "must be host:port, or several, separated by commas")
    .optional(),
  REDIS_MASTER: z.string().optional(),
  REDIS_CA_FILE: z.string().optional(),
} as const;

/**
 * Turns the variables of Redis into the settings of `connectRedis`. Throws if they contradict each other, or if the
 * file cannot be read.
 */
export function redisSettings(env: {
  REDIS_URL: readonly string[];
  REDIS_SENTINELS?: readonly string[] | undefined;
  REDIS_MASTER?: string | undefined;
  REDIS_CA_FILE?: string | undefined;
}) {
  const { REDIS_URL: urls, REDIS_SENTINELS: sentinels, REDIS_MASTER: master, REDIS_CA_FILE: caPath } = env;
  if ((sentinels === undefined) !== (master === undefined))
    throw new Error("bad configuration\n  REDIS_SENTINELS and REDIS_MASTER: set both or none");
  if (caPath !== undefined && !urls.every((url) => url.startsWith("rediss:")))
    throw new Error("bad configuration\n  REDIS_CA_FILE: only for rediss:// in REDIS_URL");
  return {
    urls,
    sentinels: sentinels ?? [],
    master: master ?? null,
    readCa: caPath === undefined ? null : certificateFileReader("REDIS_CA_FILE", caPath),
  };
}

/**
 * Returns a function that reads a PEM file of certificates at each call, so that an authority can be replaced without a
 * restart. If a later reading fails, for example because the file is being replaced, the function returns the last
 * valid text.
 * @throws if the file cannot be read now
 */
export function certificateFileReader(name: string, path: string): () => string {
  let last = readCertificateFile(name, path);
  return () => {
    try {
      last = readCertificateFile(name, path);
    } catch {
      // Keeping the last valid text is better than failing: a connection that trusts the previous authority may still
      // work.
    }
    return last;
  };
}

/** Reads the PEM file of certificates in the variable `name`. Throws if it cannot be read or contains none. */
export function readCertificateFile(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`bad configuration\n  ${name}: ${path} cannot be read`, { cause: error });
  }
  if (!text.includes("-----BEGIN CERTIFICATE-----"))
    throw new Error(`bad configuration\n  ${name}: ${path} holds no PEM certificate`);
  return text;
}
