import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scopes } from "@platform/contracts/scopes";
import { serviceNames } from "@platform/contracts/services";
import { freePortBase, stackPorts } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { type Stack, startStack } from "@platform/stack/stack";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

/** A Project Client of the load, with its credential and the resources that its deliveries need. */
export type LoadClient = {
  readonly id: string;
  readonly credential: string;
  readonly senderProfileId: string;
  readonly endpointId: string;
};

export const templateKey = "torture.mail";

const catalog = `templates:
  - key: ${templateKey}
    channel: email
    locale: en
    subject: "{{ key }}"
    text: "{{ key }}"
    variables: { key: string }
`;

/** A platform under load. */
export type LoadedPlatform = {
  readonly stack: Stack;
  readonly gateways: readonly string[];
  /** Address of the mail server. */
  readonly smtpUrl: string;
  readonly sinkUrl: string;
  ctl(args: readonly string[]): Promise<unknown>;
};

/**
 * The platform under torture: a stack whose processes, stores and mail server may be connected by proxies that can
 * inject faults.
 */
export type Platform = LoadedPlatform & {
  /** The gateways, each behind its own proxy if there are proxies. */
  readonly disturbedGateways: readonly string[];
  readonly proxies: readonly FaultProxy[];
  /** Restarts every process without proxies, so that measurements do not include the proxies. */
  bypassProxies(): Promise<void>;
  /** Ends every process. Files and logs are kept if they are useful for an analysis. */
  close(isKept: boolean): Promise<void>;
};

/**
 * Starts the stack.
 * @param hasProxies true for a proxy on every connection: between each gateway and each service, and between each
 * process and its stores. Without faults, proxies would only delay the platform and whatever else runs in this process.
 */
export async function startPlatform(say: (text: string) => void, { hasProxies = true } = {}): Promise<Platform> {
  const directory = mkdtempSync(join(tmpdir(), "platform-torture-"));
  const portBase = await freePortBase();
  const ports = stackPorts(portBase);
  const proxies: FaultProxy[] = [];
  let nextPort = portBase + 100;
  const through = async (name: string, target: number): Promise<string> => {
    if (!hasProxies) return `127.0.0.1:${target}`;
    const proxy = await startFaultProxy(name, nextPort, target);
    nextPort += 1;
    proxies.push(proxy);
    return `127.0.0.1:${proxy.port}`;
  };
  // A store that somebody else has started is used unchanged if it listens on loopback, and has to be killed from
  // outside.
  const mongodbUri = process.env.MONGODB_URI ?? `mongodb://127.0.0.1:${ports.mongo}`;
  const mongoPort = Number(/:(\d+)(?:[/?]|$)/.exec(mongodbUri)?.[1] ?? 27_017);
  const environments = new Map<string, Record<string, string>>();
  const direct = new Map<string, Record<string, string>>();
  const processes = ["gateway", "gateway-2", ...serviceNames.flatMap((name) => [`${name}-svc`, `${name}-svc-worker`])];
  for (const name of processes) {
    const env: Record<string, string> = { REDIS_URL: `redis://${await through(`${name} to redis`, ports.redis)}` };
    if (!name.startsWith("gateway")) {
      env.MONGODB_URI = throughProxy(mongodbUri, await through(`${name} to mongo`, mongoPort));
    }
    const callees = name.startsWith("gateway")
      ? serviceNames
      : name === "events-svc-worker"
        ? (["identity"] as const)
        : [];
    for (const callee of callees)
      env[`${callee.toUpperCase()}_GRPC`] = await through(`${name} to ${callee}-svc`, ports[callee].grpc);
    environments.set(name, env);
    const bypass: Record<string, string> = { REDIS_URL: `redis://127.0.0.1:${ports.redis}` };
    if (!name.startsWith("gateway")) bypass.MONGODB_URI = mongodbUri;
    for (const callee of callees) bypass[`${callee.toUpperCase()}_GRPC`] = `127.0.0.1:${ports[callee].grpc}`;
    direct.set(name, bypass);
  }
  const stack = await startStack({
    directory,
    portBase,
    hasSecondGateway: true,
    hasConsole: true,
    env: { LOG_LEVEL: "warn" },
    componentEnv: (name) => environments.get(name) ?? {},
    onStep: say,
    onUnexpectedExit: (name, how) => say(`UNEXPECTED: ${name} ${how}`),
  });
  const smtpUrl = new URL(stack.settings.SMTP_URL ?? "");
  smtpUrl.host = await through("notify-svc-worker to smtp", Number(smtpUrl.port));
  return {
    stack,
    gateways: [stack.baseUrl, `http://127.0.0.1:${ports.secondGateway}`],
    disturbedGateways: [
      `http://${await through("clients to gateway", ports.gateway)}`,
      `http://${await through("clients to gateway-2", ports.secondGateway)}`,
    ],
    smtpUrl: smtpUrl.href,
    sinkUrl: stack.settings.SINK_URL ?? "",
    proxies,
    ctl: (args) => runCtl(directory, args),
    bypassProxies: async () => {
      await Promise.all(processes.map((name) => stack.kill(name, "SIGTERM")));
      await Promise.all(processes.map((name) => stack.start(name, direct.get(name))));
    },
    close: async (isKept) => {
      await stack.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      if (isKept) say(`data and logs of every process are kept in ${directory}`);
      else rmSync(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Replaces the host of a MongoDB URI. The driver must not discover the members of a replica set, because it would
 * bypass the proxy.
 */
function throughProxy(uri: string, host: string): string {
  const moved = uri.replace(/^(mongodb:\/\/(?:[^@/?]*@)?)[^/?]+\/?/, `$1${host}/`);
  return `${moved}${moved.includes("?") ? "&" : "?"}directConnection=true`;
}

/** Creates a Project Client with high quotas, a sender profile, a template and a verified address. */
export async function prepareClient(platform: LoadedPlatform, index: number): Promise<LoadClient> {
  const ctl = async (...args: string[]): Promise<Record<string, string>> =>
    (await platform.ctl(args)) as Record<string, string>;
  const { id = "" } = await ctl("clients", "create", "--name", `load-${index}`, "--environment", "development");
  const resources = [
    "api_traffic",
    "events",
    "deliveries",
    "audit_retention",
    "storage_bytes",
    "scheduled_invocations",
  ];
  for (const resource of resources) {
    await ctl("quotas", "set", "--client", id, "--resource", resource, "--limit", "1000000000");
  }
  const { credential = "" } = await ctl("credentials", "issue", "--client", id, "--scopes", scopes.join(","));
  const config = { from: "load@example.com", smtp_url: platform.smtpUrl, default_locale: "en" };
  const create = ["sender-profiles", "create", "--client", id, "--channel", "email", "--name", "load"];
  const { id: senderProfileId = "" } = await ctl(...create, "--config", JSON.stringify(config));
  const catalogPath = join(platform.stack.directory, "catalog.yaml");
  writeFileSync(catalogPath, catalog);
  await ctl("catalog", "apply", "--client", id, "--file", catalogPath);
  const call = async (path: string, body: unknown): Promise<Record<string, string>> => {
    const response = await fetch(`${platform.gateways[0]}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: Record<string, string> }).data;
  };
  const endpoint = await call("/email-delivery-endpoints", { address: `load-${index}@example.com` });
  await call(`/email-delivery-endpoints/${endpoint.id}/verify`, { token: endpoint.verification_token });
  return { id, credential, senderProfileId, endpointId: endpoint.id ?? "" };
}
