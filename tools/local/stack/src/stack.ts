import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, type ChildSpec, startChild } from "./child.ts";
import { compileCache } from "./compile-cache.ts";
import { type Component, platformComponents, sharedEnv } from "./components.ts";
import { chooseMongo, isMongoReady, mongoSpec } from "./mongo.ts";
import { isJoined, joinComponents, logPathOf, platformProcess, type StackProcesses } from "./one-process.ts";
import { oidcProviderSpec, sinkSpec } from "./outside-specs.ts";
import { allPorts, type StackPorts, stackPorts, takenPorts } from "./ports.ts";
import { isHttpReady, lastLines, waitUntilReady } from "./readiness.ts";
import { isRedisReady, redisSpec } from "./redis.ts";
import { loadSecrets, operatorsFile, writeEnvFile } from "./settings.ts";
import { startTcpBalancer, type TcpBalancer } from "./tcp-balancer.ts";
import { argumentsIn } from "./versions.ts";

export const repositoryRoot = resolve(fileURLToPath(new URL("../../../..", import.meta.url)));

export type StackOptions = {
  /** Folder of all state. */
  readonly directory: string;
  readonly portBase: number;
  /** Environment of every process, which overrides the stack's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Environment of one process of the platform, which overrides everything else: for example to put a proxy between it and its dependency. */
  readonly componentEnv?: (name: string) => Readonly<Record<string, string>>;
  /** Whether each server and worker has a process of its own, which is the default, or all share one. In one process, a part cannot be killed separately. */
  readonly processes?: StackProcesses;
  readonly hasSecondGateway?: boolean;
  /** True to start the operator console as well. */
  readonly hasConsole?: boolean;
  /** True to start Prometheus and Alertmanager, which the console reads. Tests start them only if they need them. */
  readonly hasMonitoring?: boolean;
  /** Services with a second worker process, whose name ends in `-worker-2`, to measure the effect of another one. */
  readonly secondWorkers?: readonly string[];
  /** True for two replicas of every process, the second with `-2` in its name; for rolling restarts and upgrades. */
  readonly hasReplicas?: boolean;
  /**
   * Another checkout of the repository, from which the platform's processes are started. Stores and other programs are started from this checkout. A process
   * that the other version does not have is not started.
   */
  readonly root?: string;
  /** Called at each step of the start. */
  readonly onStep?: (text: string) => void;
  /** Called for each log line of a process. */
  readonly onLine?: (name: string, line: string) => void;
  /** Called when a process ends unexpectedly. */
  readonly onUnexpectedExit?: (name: string, how: string) => void;
};

/** A running stack. */
export type Stack = {
  readonly directory: string;
  readonly ports: StackPorts;
  readonly baseUrl: string;
  readonly redisUrl: string;
  readonly mongodbUri: string;
  /** Returns the name of the database of a service, for example "events". */
  databaseOf(service: string): string;
  /** Values that processes outside the stack need to reach it: operator token, addresses. */
  readonly settings: Readonly<Record<string, string>>;
  /** Returns the names of the processes. */
  names(): string[];
  /** Returns each server and worker of the platform, with the address at which it serves /livez, /readyz and /metrics. */
  probes(): { readonly name: string; readonly url: string }[];
  pid(name: string): number;
  /** Sends a signal to one process. If the signal ends the process, waits until it has ended. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a process again that has ended, with additional environment if given, and waits until it is ready. */
  start(name: string, env?: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Restarts one process, without losing a request if it has two replicas. A process that the previous version did not have is only started, and a process
   * that the version in `root` does not have is only ended. Rejects if the process does not end cleanly.
   * @param root another checkout of the repository, from which the process is started
   */
  roll(name: string, root?: string): Promise<void>;
  stop(): Promise<void>;
};

/** Starts everything and waits until all of it is ready. If one part cannot start, stops the others and rejects. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const step = options.onStep ?? (() => {});
  const directory = resolve(options.directory);
  const ports = stackPorts(options.portBase);
  const taken = await takenPorts(allPorts(ports));
  if (taken.length > 0) {
    throw new Error(
      `ports ${taken.join(", ")} are in use; stop what uses them, or set STACK_PORT_BASE to move the stack`,
    );
  }
  mkdirSync(join(directory, "logs"), { recursive: true });
  const isOne = options.processes === "one";
  const given = { ...process.env, ...options.env };
  const mongo = chooseMongo(given, ports.mongo);
  const redisUrl = given.REDIS_URL ?? `redis://127.0.0.1:${ports.redis}`;
  const databasePrefix = given.MONGODB_DATABASE_PREFIX ?? "";
  const componentOptions = {
    ports,
    secrets: loadSecrets(directory),
    mongodbUri: mongo.uri,
    databasePrefix,
    redisUrl,
    consoleRedisUrl: given.REDIS_URL ?? redisUrl.replace("redis://", "redis://console:console@"),
    directory,
    hasSecondGateway: options.hasSecondGateway ?? false,
    hasConsole: isOne || (options.hasConsole ?? false),
    hasMonitoring: options.hasMonitoring ?? false,
    secondWorkers: options.secondWorkers ?? [],
    hasReplicas: options.hasReplicas ?? false,
  };

  const specs = new Map<string, { spec: ChildSpec; isReady: () => Promise<boolean> }>();
  const add = (
    spec: Omit<ChildSpec, "env" | "logPath"> & { env?: Record<string, string> },
    isReady: () => Promise<boolean>,
  ): void => {
    const own = options.componentEnv?.(spec.name) ?? {};
    const env = { ...inheritedEnv(), NODE_COMPILE_CACHE: compileCache, ...spec.env, ...options.env, ...own };
    specs.set(spec.name, { spec: { ...spec, env, logPath: join(directory, "logs", `${spec.name}.log`) }, isReady });
  };
  if (given.REDIS_URL === undefined) add(redisSpec({ directory, port: ports.redis }), () => isRedisReady(redisUrl));
  const mongoStart = mongoSpec(mongo, { root: repositoryRoot, directory, port: ports.mongo });
  if (mongoStart !== null) add(mongoStart, () => isMongoReady(mongo, ports.mongo));
  add(sinkSpec(repositoryRoot, ports), () => isHttpReady(`http://127.0.0.1:${ports.sinkHttp}/messages`));
  const people = operatorsFile(directory);
  const components = platformComponents(componentOptions);
  if (isOne) {
    const platform = joinComponents(components, options.componentEnv ?? (() => ({})), { ports, people });
    const spec = { ...componentSpec(platform), logPathOf: (line: string) => logPathOf(directory, line) };
    add(spec, async () => (await Promise.all(platform.readyUrls.map(isHttpReady))).every(Boolean));
  } else {
    add(oidcProviderSpec(repositoryRoot, ports, people), () =>
      isHttpReady(`http://127.0.0.1:${ports.oidcProvider}/.well-known/openid-configuration`),
    );
  }
  if (componentOptions.hasMonitoring) {
    const { monitoringSpecs } = await import("./monitoring.ts");
    const specsOf = monitoringSpecs({ root: repositoryRoot, directory, ports, components, isOne });
    for (const { readyUrl, ...spec } of specsOf) add(spec, () => isHttpReady(readyUrl));
  }
  for (const component of components.filter(({ name }) => !isOne || !isJoined(name)))
    add(componentSpec(component), () => isHttpReady(component.readyUrl));
  const balancers = await startBalancers(components);

  const children = new Map<string, Child>();
  let isStopping = false;
  const noProcess = (name: string): Error =>
    new Error(
      isOne && isJoined(name)
        ? `${name} runs in the process ${platformProcess} of this stack and cannot be ended or started alone`
        : `the stack has no process named ${name}`,
    );
  const launch = async (
    name: string,
    env: Readonly<Record<string, string>> = {},
    root: string = repositoryRoot,
  ): Promise<void> => {
    const entry = specs.get(name);
    if (entry === undefined) throw noProcess(name);
    const args = argumentsIn(root, entry.spec.args, repositoryRoot);
    if (args === null) return;
    const child = startChild({ ...entry.spec, args, cwd: root, env: { ...entry.spec.env, ...env } }, (line) =>
      options.onLine?.(name, line),
    );
    children.set(name, child);
    const ended = child.exited.then(
      ({ code, signal }) => `ended with ${signal ?? `code ${code}`}`,
      (error: Error) => `could not be started: ${error.message}`,
    );
    let isReady = false;
    void ended.then((how) => {
      if (isReady && !isStopping && children.get(name) === child) options.onUnexpectedExit?.(name, how);
    });
    await waitUntilReady({ ...entry.spec, isReady: entry.isReady }, ended);
    isReady = true;
  };

  const stop = async (): Promise<void> => {
    isStopping = true;
    // Processes stop in the order of calls: the gateway drains before the services end, and the services end before their stores.
    for (const layer of stopOrder([...children.keys()])) {
      await Promise.all(layer.map((name) => children.get(name)?.stop()));
    }
    for (const balancer of balancers.values()) balancer.close();
  };

  /** Replaces a replica in the order of a Kubernetes rollout: it is removed from its Service and asked to stop, and its successor is added once it is ready. */
  const roll = async (name: string, root?: string): Promise<void> => {
    const balanced = components.find((component) => component.name === name)?.balanced;
    const balancer = balanced === undefined ? undefined : balancers.get(balanced.at);
    const child = children.get(name);
    if (balanced !== undefined) balancer?.takeOut(balanced.port);
    children.delete(name);
    await child?.stop();
    const { code, signal } = (await child?.exited) ?? { code: 0, signal: null };
    if (code !== 0) {
      const last = lastLines(specs.get(name)?.spec.logPath ?? "");
      throw new Error(`${name} ended with ${signal ?? `code ${code}`}; its last lines:\n${last}`);
    }
    await launch(name, {}, root);
    if (balanced !== undefined) balancer?.putBack(balanced.port);
  };

  try {
    for (const layer of startOrder([...specs.keys()])) {
      step(`starting ${layer.join(", ")}`);
      await Promise.all(
        layer.map((name) =>
          launch(name, {}, [...outside, ...monitoring].includes(name) ? repositoryRoot : options.root),
        ),
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const settings = {
    ...sharedEnv(componentOptions),
    STACK_PORT_BASE: String(options.portBase),
    SINK_URL: `http://127.0.0.1:${ports.sinkHttp}`,
  };
  writeEnvFile(join(directory, "stack.env"), settings);
  return {
    directory,
    ports,
    baseUrl: `http://127.0.0.1:${options.hasReplicas === true ? ports.balanced.gateway : ports.gateway}`,
    redisUrl,
    mongodbUri: mongo.uri,
    databaseOf: (service) => `${databasePrefix}${service}`,
    settings,
    names: () => [...specs.keys()],
    probes: () => components.map(({ name, readyUrl }) => ({ name, url: readyUrl.replace(/\/readyz$/, "") })),
    pid: (name) => children.get(isOne && isJoined(name) ? platformProcess : name)?.pid ?? -1,
    kill: async (name, signal = "SIGKILL") => {
      const child = children.get(name);
      if (child === undefined) throw noProcess(name);
      if (signal !== "SIGSTOP" && signal !== "SIGCONT") children.delete(name);
      child.signal(signal);
      if (signal !== "SIGSTOP" && signal !== "SIGCONT") await child.exited;
    },
    start: launch,
    roll,
    stop,
  };
}

/** Starts one balancer for each port that two processes share. */
async function startBalancers(components: readonly Component[]): Promise<Map<number, TcpBalancer>> {
  const behind = new Map<number, number[]>();
  for (const { balanced } of components) {
    if (balanced !== undefined) behind.set(balanced.at, [...(behind.get(balanced.at) ?? []), balanced.port]);
  }
  const started = await Promise.all(
    [...behind].map(async ([at, ports]) => [at, await startTcpBalancer(at, ports)] as const),
  );
  return new Map(started);
}

/** The platform's dependencies, such as stores and the provider sink. */
const outside = ["redis", "mongo", "provider-sink", "oidc-provider"];

/** The platform's monitoring. It is started together with the platform and stopped before it, so that no alert fires because of the stop. */
export const monitoring: readonly string[] = ["prometheus", "alertmanager"];

/** Returns the groups of processes in the order in which they start: stores and external programs first, then the platform. */
function startOrder(names: readonly string[]): string[][] {
  const stores = names.filter((name) => outside.includes(name));
  return [stores, names.filter((name) => !stores.includes(name))];
}

function stopOrder(names: readonly string[]): string[][] {
  const isFirst = (name: string): boolean =>
    name.startsWith("gateway") || name === "console" || monitoring.includes(name);
  const gateways = names.filter(isFirst);
  const stores = names.filter((name) => outside.includes(name));
  return [gateways, names.filter((name) => !gateways.includes(name) && !stores.includes(name)), stores];
}

function componentSpec(component: Pick<Component, "name" | "entry" | "nodeArguments" | "env">) {
  return {
    name: component.name,
    command: process.execPath,
    args: [
      "--disable-warning=ExperimentalWarning",
      ...(component.nodeArguments ?? []),
      join(repositoryRoot, component.entry),
    ],
    env: { ...component.env },
    cwd: repositoryRoot,
  };
}

/** Returns the caller's environment without the variables that set this process's own ports. */
function inheritedEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(
    entries.filter(([name]) => !name.startsWith("VITEST") && !name.startsWith("npm_") && name !== "NODE_ENV"),
  );
}
