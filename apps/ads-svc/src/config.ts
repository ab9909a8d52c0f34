import { envFields, mongoEnv, mongoSettings, readEnv, tlsEnv, tlsFiles } from "@platform/service-kit/process/read-env";
import { z } from "zod";

const common = {
  HOST: envFields.host,
  ...mongoEnv("ads"),
  LOG_LEVEL: envFields.logLevel,
};

const serverEnv = z.object({
  ...common,
  ...tlsEnv,
  GRPC_PORT: envFields.port(8098),
  PROBE_PORT: envFields.port(8128),
  SERVICE_KEY: envFields.serviceKey,
  SERVICE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
  OPERATOR_TOKEN: envFields.operatorToken,
  /** The `iss` of decision tokens: another deployment's are refused. */
  ADS_TOKEN_ISSUER: z.string().min(1).max(255).default("platform-ads"),
});

const workerEnv = z.object({ ...common, PROBE_PORT: envFields.port(8148) });

export type ServerConfig = ReturnType<typeof readServerConfig>;

/** The configuration of the server. Throws one Error that names every bad variable. */
export function readServerConfig(env: NodeJS.ProcessEnv) {
  const values = readEnv(serverEnv, env);
  return {
    host: values.HOST,
    grpcPort: values.GRPC_PORT,
    probePort: values.PROBE_PORT,
    mongo: mongoSettings(values),
    keyring: { current: values.SERVICE_KEY, previous: values.SERVICE_KEY_PREVIOUS },
    operatorToken: values.OPERATOR_TOKEN,
    tokenIssuer: values.ADS_TOKEN_ISSUER,
    tls: tlsFiles(values),
    logLevel: values.LOG_LEVEL,
  };
}

export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

/** The configuration of the worker and of the migration step. */
export function readWorkerConfig(env: NodeJS.ProcessEnv) {
  const values = readEnv(workerEnv, env);
  return { host: values.HOST, probePort: values.PROBE_PORT, mongo: mongoSettings(values), logLevel: values.LOG_LEVEL };
}
