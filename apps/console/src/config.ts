import { randomBytes } from "node:crypto";
import { addressesOf, addressVariables } from "@platform/contracts/service-addresses";
import { serviceNames, services } from "@platform/contracts/services";
import { envFields, readEnv, redisEnv, redisSettings, tlsEnv, trustedProxiesRequired } from "@platform/kit/process/env";
import { tlsFiles } from "@platform/kit/process/tls";
import { z } from "zod";
import { clientAuthMethods } from "./sign-in/client-authentication.ts";

/** The default address of a service is on this machine. */
const localAddress = (port: number) => envFields.address.default(`127.0.0.1:${port}`);

const schema = z.object({
  HOST: envFields.host,
  HTTP_PORT: envFields.port(8110),
  PROBE_PORT: envFields.port(8115),
  /** Address at which browsers reach the console. It must be https, except on loopback. */
  CONSOLE_BASE_URL: envFields.url.default("http://127.0.0.1:8110"),
  /** Address at which this process reaches the gateway, whose health the status page shows. */
  GATEWAY_URL: envFields.url.default("http://127.0.0.1:8080"),
  /**
   * Addresses of Alertmanager and Prometheus, for the alerts and plots of the overview. Without them, the page says
   * that they are not configured.
   */
  ALERTMANAGER_URL: envFields.url.optional(),
  PROMETHEUS_URL: envFields.url.optional(),
  ...redisEnv,
  REDIS_URL: redisEnv.REDIS_URL.default(["redis://127.0.0.1:8101"]),
  ...addressVariables("GRPC", serviceNames, (name) => localAddress(services[name].grpcPort)),
  /** The console's client at the identity provider. identity-svc must accept its ID tokens (OPERATOR_OIDC_CLIENT_IDS). */
  CONSOLE_OIDC_CLIENT_ID: z.string().min(1).default("console"),
  /** Set for a confidential client. Without a secret, the client is public, and only PKCE protects the code. */
  CONSOLE_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  /** How the secret is sent; by default by a method that the provider announces. */
  CONSOLE_OIDC_AUTH_METHOD: z.enum(clientAuthMethods).optional(),
  /**
   * The console's client at the identity provider of members, if they have a separate one (MEMBERS_OIDC_ISSUER and
   * MEMBERS_OIDC_CLIENT_IDS of identity-svc).
   */
  CONSOLE_MEMBERS_OIDC_CLIENT_ID: z.string().min(1).default("console"),
  CONSOLE_MEMBERS_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  CONSOLE_MEMBERS_OIDC_AUTH_METHOD: z.enum(clientAuthMethods).optional(),
  /**
   * Encrypts the state of pending sign-ins, which is stored in the browser. All consoles of a platform need the same
   * key.
   */
  CONSOLE_KEY: envFields.serviceKey.optional(),
  CONSOLE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
  /** Proxies in front of the console, whose X-Forwarded-For contains the browser's address. */
  TRUSTED_PROXIES: envFields.trustedProxies,
  DEPLOYMENT_ENVIRONMENT: envFields.deploymentEnvironment,
  SESSION_IDLE_MINUTES: z.coerce.number().int().min(1).max(480).default(30),
  SESSION_HOURS: z.coerce.number().int().min(1).max(8).default(8),
  LOG_LEVEL: envFields.logLevel,
  ...tlsEnv,
});

/** The console's configuration in typed groups. */
export type ConsoleConfig = ReturnType<typeof readConfig>;

/** Reads the environment once. Throws one error that lists every invalid variable. */
export function readConfig(source: NodeJS.ProcessEnv) {
  const env = readEnv(schema, source, { TRUSTED_PROXIES: trustedProxiesRequired });
  const { protocol, hostname } = new URL(env.CONSOLE_BASE_URL);
  if (protocol !== "https:" && !["127.0.0.1", "localhost", "[::1]"].includes(hostname))
    throw new Error("bad configuration\n  CONSOLE_BASE_URL: must be https beyond loopback");
  if (env.CONSOLE_KEY === undefined && protocol === "https:")
    throw new Error(
      "bad configuration\n  CONSOLE_KEY: must be 32 bytes in base64 (openssl rand -base64 32), the same for every console",
    );
  return {
    host: env.HOST,
    httpPort: env.HTTP_PORT,
    probePort: env.PROBE_PORT,
    baseUrl: env.CONSOLE_BASE_URL,
    gatewayUrl: env.GATEWAY_URL,
    alertmanagerUrl: env.ALERTMANAGER_URL ?? null,
    prometheusUrl: env.PROMETHEUS_URL ?? null,
    redis: redisSettings(env),
    grpc: addressesOf("GRPC", serviceNames, env),
    tls: tlsFiles(env),
    oidc: {
      operators: {
        clientId: env.CONSOLE_OIDC_CLIENT_ID,
        clientSecret: env.CONSOLE_OIDC_CLIENT_SECRET ?? null,
        authMethod: env.CONSOLE_OIDC_AUTH_METHOD ?? null,
      },
      members: {
        clientId: env.CONSOLE_MEMBERS_OIDC_CLIENT_ID,
        clientSecret: env.CONSOLE_MEMBERS_OIDC_CLIENT_SECRET ?? null,
        authMethod: env.CONSOLE_MEMBERS_OIDC_AUTH_METHOD ?? null,
      },
    },
    // Without a configured key, the console runs on loopback. It is then the only one, and may lose its pending
    // sign-ins when it stops.
    keyring: { current: env.CONSOLE_KEY ?? new Uint8Array(randomBytes(32)), previous: env.CONSOLE_KEY_PREVIOUS },
    /** Trusted proxies; null if none were configured. */
    trustedProxies: env.TRUSTED_PROXIES,
    session: { idleMs: env.SESSION_IDLE_MINUTES * 60_000, hours: env.SESSION_HOURS },
    logLevel: env.LOG_LEVEL,
  };
}
