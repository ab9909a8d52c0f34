import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { addressVariable } from "@platform/contracts/service-addresses";
import { httpServiceNames, processesOf, processName, serviceNames } from "@platform/contracts/services";
import { envOfParts } from "@platform/kit/process/env";
import { gatewayNodeArguments, serverNodeArguments } from "@platform/stack/components";
import { readEntryConfig } from "../entry-config.ts";
import { repositoryRoot } from "../source-files.ts";
import { parseImage } from "./image-name.ts";
import { type Container, containersOf, type EnvVar, podOf, startsBoth } from "./pod-rules.ts";
import type { KubernetesObject } from "./render-overlay.ts";

/** Stand-ins for secrets, which are not in the repository. */
export const secretStandIns: Readonly<Record<string, string>> = {
  MONGODB_URI: "mongodb://mongo:27017/?replicaSet=rs0",
  REDIS_URL: "rediss://redis:6379",
  SERVICE_KEY: Buffer.alloc(32, 1).toString("base64"),
  SERVICE_KEY_PREVIOUS: Buffer.alloc(32, 2).toString("base64"),
  CONSOLE_KEY: Buffer.alloc(32, 3).toString("base64"),
  CONSOLE_KEY_PREVIOUS: Buffer.alloc(32, 4).toString("base64"),
  OPERATOR_TOKEN: "0".repeat(64),
  OPERATOR_TOKEN_PREVIOUS: "1".repeat(64),
  CONSOLE_OIDC_CLIENT_SECRET: "secret",
  CONSOLE_MEMBERS_OIDC_CLIENT_SECRET: "secret",
  SMTP_URL: "smtps://mail:465",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "secret",
  BACKUP_S3_ACCESS_KEY_ID: "key",
  BACKUP_S3_SECRET_ACCESS_KEY: "secret",
};

/** Variables that are read outside of an app's config.ts: by the process itself, by Node, and by the kit's tracing. */
const commonNames = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_RESOURCE_ATTRIBUTES",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER_ARG",
];
const redisNames = ["REDIS_URL", "REDIS_SENTINELS", "REDIS_MASTER", "REDIS_CA_FILE"];
const natsNames = ["NATS_URL", "NATS_USER", "NATS_PASSWORD", "NATS_CREDS_FILE", "NATS_CA_FILE", "NATS_REPLICAS"];
const s3Names = ["S3_REGION", "S3_ENDPOINT", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "S3_FORCE_PATH_STYLE"];
const tlsNames = ["GRPC_TLS_CA", "GRPC_TLS_CERT", "GRPC_TLS_KEY"];
/** Variables of the kit's `mongoEnv`, which every service with a database includes in its own. */
const mongoNames = ["MONGODB_URI", "MONGODB_DATABASE", "MONGODB_DATABASE_PREFIX", "MONGODB_AUTO_INDEX"];

/**
 * Reads each container's environment with the configuration function of its entry point, so that missing or malformed
 * variables are detected as at a start. Variables that nothing reads and ports that differ from the configured ones are
 * problems as well.
 */
export async function checkEnvironment(
  deployment: KubernetesObject,
  objects: readonly KubernetesObject[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const container of containersOf(podOf(deployment))) {
    const { env, missing } = resolveEnv(container.env ?? [], objects);
    const found = [
      ...missing,
      ...checkPorts(container, env),
      ...(container.ports === undefined ? [] : plainTextProblems(env)),
      ...(await checkConfig(container, env)),
    ];
    problems.push(...found.map((problem) => `container ${container.name}: ${problem}`));
  }
  return problems;
}

function resolveEnv(vars: readonly EnvVar[], objects: readonly KubernetesObject[]) {
  const env: Record<string, string> = {};
  const missing: string[] = [];
  for (const { name, value, valueFrom } of vars) {
    const config = valueFrom?.configMapKeyRef;
    const secret = valueFrom?.secretKeyRef;
    const map = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === config?.name);
    const found = value ?? (config === undefined ? secretStandIns[secret?.key ?? ""] : map?.data?.[config.key]);
    if (name in env) missing.push(`${name} is set twice`);
    if (found === undefined) missing.push(`${name} has no value`);
    else env[name] = found;
  }
  return { env, missing };
}

/** Requires all three files of TLS, because without one of them a process uses plain text, both as a server and as a client. */
export function plainTextProblems(env: Readonly<Record<string, string>>): string[] {
  return tlsNames.filter((name) => !(name in env)).map((name) => `${name} is not set: gRPC would be plain text`);
}

/** Checks that each named port of a container is the port that its process receives. */
function checkPorts({ ports = [] }: Container, env: Readonly<Record<string, string>>): string[] {
  const variables: Readonly<Record<string, readonly string[]>> = {
    grpc: ["GRPC_PORT"],
    http: ["HTTP_PORT", "GATEWAY_PORT"],
    probe: ["GATEWAY_INTERNAL_PORT", "PROBE_PORT"],
    smtp: ["BOUNCE_SMTP_PORT"],
  };
  return ports.flatMap(({ name, containerPort }) => {
    const variable = (variables[name] ?? []).find((candidate) => candidate in env);
    if (variable === undefined) return [`port ${name} is set by no variable`];
    return env[variable] === String(containerPort)
      ? []
      : [`port ${name} is ${containerPort}, but ${variable} is ${env[variable]}`];
  });
}

/** Reads the configuration in the same way as the container's entry point. */
export async function checkConfig(
  { image, args }: Container,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { app, isBackup } = parseImage(image);
  const folder = join(repositoryRoot, "apps", app);
  // The arguments that follow belong to the program.
  const script = args?.find((argument) => argument.startsWith("src/"));
  const entry = join(folder, script ?? "");
  if (script === undefined || !existsSync(entry)) return [`apps/${app} has no ${script}`];
  if (isBackup !== (script === "src/backup.ts")) return [`the image ${image} cannot run ${script}`];
  const nodeArguments = (args ?? []).slice(0, (args ?? []).indexOf(script)).join(" ");
  const ofService = app.endsWith("-svc") && script === "src/start-server.ts" ? serverNodeArguments : [];
  const expected = (app === "gateway" ? gatewayNodeArguments : ofService).join(" ");
  if (nodeArguments !== expected) return [`gives Node "${nodeArguments}", not "${expected}" as the stack does`];
  try {
    if (startsBoth(args)) return checkBothConfigs(app, env);
    const { reader, config, error } = await readEntryConfig(app, script, env);
    if (error !== null) return [error];
    const unread = unreadNames(join(folder, "src/config.ts"), env, reader === "readBackupConfig");
    return [...localRedis(config, env), ...unread];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Reads the configuration of a process that runs all parts of a service, each with its part of the environment. */
async function checkBothConfigs(app: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const name = serviceNames.find((each) => `${each}-svc` === app);
  if (name === undefined) return [`${app} is no service`];
  const processes = processesOf(name);
  const envs = envOfParts(
    env,
    processes.map((process) => processName(name, process)),
  );
  const entries = processes.map((process) => `src/start-${process}.ts`);
  const read = await Promise.all(entries.map((entry, index) => readEntryConfig(app, entry, envs[index] ?? {})));
  const errors = read.flatMap(({ error }) => (error === null ? [] : [error]));
  const redis = read.flatMap(({ config }) => localRedis(config, env));
  return [...errors, ...new Set(redis), ...unreadNames(join(repositoryRoot, "apps", app, "src/config.ts"), env, false)];
}

/**
 * Requires the address of Redis. Its default is for a developer's machine. In a container nothing listens at that address, and the process would only log a
 * warning.
 */
function localRedis(config: unknown, env: Readonly<Record<string, string>>): string[] {
  const hasRedis = typeof config === "object" && config !== null && "redis" in config;
  return hasRedis && !("REDIS_URL" in env)
    ? ["REDIS_URL is not set: the process would look for Redis in its own container"]
    : [];
}

/** Settings that every process of a service reads. */
const coreConfigPath = join(repositoryRoot, "libs/kit/src/service/service-config.ts");

function unreadNames(configPath: string, env: Readonly<Record<string, string>>, isBackup: boolean): string[] {
  const own = readFileSync(configPath, "utf8");
  const text = own.includes("defineServiceConfig(") ? own + readFileSync(coreConfigPath, "utf8") : own;
  const read = new Set([...text.matchAll(/(?:^ +|\{ )([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1]));
  // Only the backup image reads the kit's settings for backups.
  if (!isBackup) for (const name of ["BACKUP_PLACE", "BACKUP_KEEP"]) read.delete(name);
  // The image sets HOST and both probe ports, so a process need not read each of them.
  const known = [...commonNames, ...tlsNames, "HOST", "PROBE_PORT"];
  if (text.includes('...addressVariables("GRPC"'))
    known.push(...serviceNames.map((name) => addressVariable(name, "GRPC")));
  if (text.includes('...addressVariables("HTTP"'))
    known.push(...httpServiceNames.map((name) => addressVariable(name, "HTTP")));
  if (text.includes("...redisEnv")) known.push(...redisNames);
  if (text.includes("...mongoEnv(")) known.push(...mongoNames);
  if (text.includes("...natsEnv")) known.push(...natsNames);
  if (isBackup || own.includes("...s3Env")) known.push(...s3Names);
  if (text.includes("...transferDrainEnv")) known.push("TRANSFER_DRAIN_SECONDS");
  return Object.keys(env)
    .filter((name) => !read.has(name) && !known.includes(name))
    .map((name) => `${name} is read by nothing`);
}
