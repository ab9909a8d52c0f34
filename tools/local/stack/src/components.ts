import { join } from "node:path";
import { addressVariables } from "@platform/contracts/service-addresses";
import { type HttpServiceName, httpServiceNames, type ServiceName, serviceNames } from "@platform/contracts/services";
import type { StackPorts } from "./ports.ts";
import type { StackSecrets } from "./settings.ts";

/** One process of the platform: how it is started, and the address at which it reports that it is ready. */
export type Component = {
  readonly name: string;
  /** Entry point below the repository's root. */
  readonly entry: string;
  /** Arguments of Node itself, which are the same as in the image. */
  readonly nodeArguments?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly readyUrl: string;
  /** Port at which its HTTP is balanced, if there are two replicas. */
  readonly balanced?: { readonly at: number; readonly port: number };
};

/** More memory for young objects, so that fewer of them are copied to the old generation (docs/decisions/0074). */
const youngObjects = "--min-semi-space-size=32";
/** The main thread collects young objects by itself, and no object is allocated directly in the old generation. */
const steadyPauses = ["--no-parallel-scavenge", "--no-allocation-site-pretenuring"];

/** V8 flags of a service's server: it also lets old objects and large bodies grow further before it collects them. */
export const serverNodeArguments: readonly string[] = [youngObjects, "--heap-growing-percent=200"];

/** V8 flags of a gateway. */
export const gatewayNodeArguments: readonly string[] = [...steadyPauses, ...serverNodeArguments];

/** V8 flags of a process that runs the whole platform. It is meant for small machines, so its heap grows as V8 decides. */
export const oneProcessNodeArguments: readonly string[] = [...steadyPauses, youngObjects];

type ComponentOptions = {
  readonly ports: StackPorts;
  readonly secrets: StackSecrets;
  readonly mongodbUri: string;
  readonly databasePrefix: string;
  readonly redisUrl: string;
  /** URL of Redis with the user that only the console has. */
  readonly consoleRedisUrl: string;
  readonly directory: string;
  readonly hasSecondGateway: boolean;
  readonly hasConsole: boolean;
  /** The console queries the stack's Prometheus and Alertmanager. */
  readonly hasMonitoring?: boolean;
  /** Services with a second worker process, whose name ends in `-worker-2`. */
  readonly secondWorkers: readonly string[];
  /** True for two replicas of every process. Callers balance gRPC, and the stack balances HTTP. */
  readonly hasReplicas: boolean;
};

const local = (port: number): string => `127.0.0.1:${port}`;

/** Returns the addresses that every process of the stack receives. */
export function sharedEnv({
  ports,
  secrets,
  mongodbUri,
  databasePrefix,
  redisUrl,
  directory,
  hasReplicas,
}: ComponentOptions): Record<string, string> {
  const grpcOf = (name: ServiceName): string =>
    hasReplicas ? `${local(ports[name].grpc)},${local(ports.second[name].grpc)}` : local(ports[name].grpc);
  const httpOf = (name: HttpServiceName): string => local(hasReplicas ? ports.balanced[name] : (ports[name].http ?? 0));
  const sink = `http://${local(ports.sinkHttp)}`;
  return {
    HOST: "127.0.0.1",
    PUBLIC_BASE_URL: `http://${local(hasReplicas ? ports.balanced.gateway : ports.gateway)}`,
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE_PREFIX: databasePrefix,
    REDIS_URL: redisUrl,
    OPERATOR_TOKEN: secrets.operatorToken,
    OPERATOR_OIDC_ISSUER: `http://${local(ports.oidcProvider)}`,
    OPERATOR_OIDC_CLIENT_IDS: "platformctl,console",
    ...addressVariables("GRPC", serviceNames, grpcOf),
    ...addressVariables("HTTP", httpServiceNames, httpOf),
    // The user has configured an S3 store. Its other settings are passed to the processes unchanged.
    BLOB_STORE: process.env.BLOB_STORE ?? "fs",
    BLOB_DIRECTORY: join(directory, "blobs"),
    SMTP_URL: `smtp://${local(ports.sinkSmtp)}`,
    CONSOLE_BASE_URL: `http://${local(ports.console)}`,
    FCM_BASE_URL: sink,
    FCM_TOKEN_URL: `${sink}/token`,
    APNS_BASE_URL: `http://${local(ports.sinkApns)}`,
    LINE_BASE_URL: sink,
  };
}

/** Returns the process of notify-svc that receives bounces. */
const bounces = (suffix: string, env: Component["env"], { smtp, probe }: StackPorts["bounces"]): Component => ({
  name: `notify-svc-bounces${suffix}`,
  entry: "apps/notify-svc/src/start-bounces.ts",
  env: { ...env, BOUNCE_SMTP_PORT: `${smtp}`, PROBE_PORT: `${probe}` },
  readyUrl: `http://${local(probe)}/readyz`,
});

/** Returns every process of the platform: the gateway, and all processes of each service. */
export function platformComponents(options: ComponentOptions): Component[] {
  const { ports, secrets } = options;
  const env = sharedEnv(options);
  const service = (name: ServiceName, isSecond: boolean): Component[] => {
    const { grpc, http, serverProbe, workerProbe } = (isSecond ? ports.second : ports)[name];
    const suffix = isSecond ? "-2" : "";
    const serviceEnv = { ...env, SERVICE_KEY: secrets.serviceKeys[name] ?? "" };
    const at = options.hasReplicas && http !== null ? ports.balanced[name as HttpServiceName] : null;
    return [
      {
        name: `${name}-svc${suffix}`,
        entry: `apps/${name}-svc/src/start-server.ts`,
        nodeArguments: serverNodeArguments,
        env: {
          ...serviceEnv,
          GRPC_PORT: `${grpc}`,
          PROBE_PORT: `${serverProbe}`,
          ...(http === null ? {} : { HTTP_PORT: `${http}` }),
        },
        readyUrl: `http://${local(serverProbe)}/readyz`,
        ...(at === null || http === null ? {} : { balanced: { at, port: http } }),
      },
      {
        name: `${name}-svc-worker${suffix}`,
        entry: `apps/${name}-svc/src/start-worker.ts`,
        env: { ...serviceEnv, PROBE_PORT: `${workerProbe}` },
        readyUrl: `http://${local(workerProbe)}/readyz`,
      },
      ...(name === "notify" ? [bounces(suffix, serviceEnv, (isSecond ? ports.second : ports).bounces)] : []),
    ];
  };
  const gateway = (name: string, port: number, internalPort: number): Component => ({
    name,
    entry: "apps/gateway/src/main.ts",
    nodeArguments: gatewayNodeArguments,
    env: { ...env, GATEWAY_PORT: `${port}`, GATEWAY_INTERNAL_PORT: `${internalPort}` },
    readyUrl: `http://${local(internalPort)}/readyz`,
    ...(options.hasReplicas ? { balanced: { at: ports.balanced.gateway, port } } : {}),
  });
  const gateways = [gateway("gateway", ports.gateway, ports.gatewayInternal)];
  if (options.hasSecondGateway || options.hasReplicas)
    gateways.push(gateway("gateway-2", ports.secondGateway, ports.secondGatewayInternal));
  const services = serviceNames.flatMap((name) => [
    ...service(name, false),
    ...service(name, true).filter(
      ({ name: second }) => options.hasReplicas || (options.secondWorkers.includes(name) && second.includes("-worker")),
    ),
  ]);
  const consoles: Component[] = [
    {
      name: "console",
      entry: "apps/console/src/start-server.ts",
      env: {
        ...env,
        REDIS_URL: options.consoleRedisUrl,
        HTTP_PORT: `${ports.console}`,
        PROBE_PORT: `${ports.consoleProbe}`,
        GATEWAY_URL: env.PUBLIC_BASE_URL ?? "",
        ...(options.hasMonitoring === true
          ? {
              PROMETHEUS_URL: `http://${local(ports.prometheus)}`,
              ALERTMANAGER_URL: `http://${local(ports.alertmanager)}`,
            }
          : {}),
      },
      readyUrl: `http://${local(ports.consoleProbe)}/readyz`,
    },
  ];
  return [...services, ...gateways, ...(options.hasConsole ? consoles : [])].map((component) => ({
    ...component,
    env: { ...component.env, OTEL_SERVICE_NAME: component.name },
  }));
}
