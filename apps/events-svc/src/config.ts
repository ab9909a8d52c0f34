import { parseOutboundAllow } from "@platform/service-kit/outbound/outbound-policy";
import {
  envFields,
  mongoEnv,
  mongoSettings,
  readEnv,
  redisEnv,
  redisSettings,
  tlsEnv,
  tlsFiles,
} from "@platform/service-kit/process/read-env";
import { z } from "zod";
import { natsEnv, natsSettings } from "./worker/relay/nats-settings.ts";

const outboundAllow = z
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

const schema = z.object({
  HOST: envFields.host,
  GRPC_PORT: envFields.port(8096),
  PROBE_PORT: envFields.port(0),
  ...mongoEnv("events"),
  ...redisEnv,
  IDENTITY_GRPC: envFields.address.default("127.0.0.1:8090"),
  SERVICE_KEY: envFields.serviceKey,
  SERVICE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
  ...natsEnv,
  OUTBOUND_ALLOW: outboundAllow,
  LOG_LEVEL: envFields.logLevel,
  ...tlsEnv,
});

const serverSchema = schema.extend({ OPERATOR_TOKEN: envFields.operatorToken });

/** Settings of events-svc that its server and its worker share. */
export type EventsConfig = ReturnType<typeof readEventsWorkerConfig>;
export type EventsServerConfig = ReturnType<typeof readEventsConfig>;

/**
 * Reads the environment of the server. Throws one Error that names every bad variable.
 * @param probePort where the process answers probes unless PROBE_PORT says otherwise
 */
export function readEventsConfig(env: NodeJS.ProcessEnv, probePort: number) {
  const read = readEnv(serverSchema, env);
  return { ...settingsOf(read, env, probePort), operatorToken: read.OPERATOR_TOKEN };
}

/** The same for the worker and the migration step, which operators do not call: they need no token of theirs. */
export function readEventsWorkerConfig(env: NodeJS.ProcessEnv, probePort: number) {
  return settingsOf(readEnv(schema, env), env, probePort);
}

function settingsOf(read: z.output<typeof schema>, env: NodeJS.ProcessEnv, probePort: number) {
  return {
    host: read.HOST,
    grpcPort: read.GRPC_PORT,
    probePort: env.PROBE_PORT === undefined || env.PROBE_PORT === "" ? probePort : read.PROBE_PORT,
    mongo: mongoSettings(read),
    redis: redisSettings(read),
    identityAddress: read.IDENTITY_GRPC,
    keyring: { current: read.SERVICE_KEY, previous: read.SERVICE_KEY_PREVIOUS },
    /** Where events are relayed to, or null. */
    nats: natsSettings(read),
    /** Addresses and CIDR blocks scheduled operations may call in any environment. */
    outboundAllow: read.OUTBOUND_ALLOW,
    logLevel: read.LOG_LEVEL,
    tls: tlsFiles(read),
  };
}
