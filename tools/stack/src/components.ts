import { join } from "node:path";
import type { StackPorts } from "./ports.ts";
import type { StackSecrets } from "./settings.ts";

/** One process of the platform: how it is started and where it says that it is ready. */
export type Component = {
  readonly name: string;
  /** Entry point below the repository's root. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly readyUrl: string;
};

const serviceNames = ["identity", "files", "notify", "events", "ads"] as const;

type ComponentOptions = {
  readonly ports: StackPorts;
  readonly secrets: StackSecrets;
  readonly mongodbUri: string;
  readonly redisUrl: string;
  readonly directory: string;
  readonly hasSecondGateway: boolean;
};

const local = (port: number): string => `127.0.0.1:${port}`;

/** Addresses every process of the stack knows. */
export function sharedEnv({
  ports,
  secrets,
  mongodbUri,
  redisUrl,
  directory,
}: ComponentOptions): Record<string, string> {
  const sink = `http://${local(ports.sinkHttp)}`;
  return {
    HOST: "127.0.0.1",
    PUBLIC_BASE_URL: `http://${local(ports.gateway)}`,
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
    OPERATOR_TOKEN: secrets.operatorToken,
    ...Object.fromEntries(serviceNames.map((name) => [`${name.toUpperCase()}_GRPC`, local(ports[name].grpc)])),
    IDENTITY_HTTP: local(ports.identity.http ?? 0),
    FILES_HTTP: local(ports.files.http ?? 0),
    NOTIFY_HTTP: local(ports.notify.http ?? 0),
    BLOB_STORE: "fs",
    BLOB_DIRECTORY: join(directory, "blobs"),
    SMTP_URL: `smtp://${local(ports.sinkSmtp)}`,
    FCM_BASE_URL: sink,
    FCM_TOKEN_URL: `${sink}/token`,
    APNS_BASE_URL: `http://${local(ports.sinkApns)}`,
    LINE_BASE_URL: sink,
  };
}

/** Every process of the platform: the gateway, and server and worker of each service. */
export function platformComponents(options: ComponentOptions): Component[] {
  const { ports, secrets } = options;
  const env = sharedEnv(options);
  const services = serviceNames.flatMap((name): Component[] => {
    const { grpc, http, serverProbe, workerProbe } = ports[name];
    const serviceEnv = { ...env, SERVICE_KEY: secrets.serviceKeys[name] ?? "" };
    return [
      {
        name: `${name}-svc`,
        entry: `apps/${name}-svc/src/start-server.ts`,
        env: {
          ...serviceEnv,
          GRPC_PORT: `${grpc}`,
          PROBE_PORT: `${serverProbe}`,
          ...(http === null ? {} : { HTTP_PORT: `${http}` }),
        },
        readyUrl: `http://${local(serverProbe)}/readyz`,
      },
      {
        name: `${name}-svc-worker`,
        entry: `apps/${name}-svc/src/start-worker.ts`,
        env: { ...serviceEnv, PROBE_PORT: `${workerProbe}` },
        readyUrl: `http://${local(workerProbe)}/readyz`,
      },
    ];
  });
  const gateway = (name: string, port: number, internalPort: number): Component => ({
    name,
    entry: "apps/gateway/src/main.ts",
    env: { ...env, GATEWAY_PORT: `${port}`, GATEWAY_INTERNAL_PORT: `${internalPort}` },
    readyUrl: `http://${local(internalPort)}/readyz`,
  });
  const gateways = [gateway("gateway", ports.gateway, ports.gatewayInternal)];
  if (options.hasSecondGateway) gateways.push(gateway("gateway-2", ports.secondGateway, ports.secondGatewayInternal));
  return [...services, ...gateways];
}
