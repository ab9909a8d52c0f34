type Served = "retention" | "usage" | "quota usage";

/** A service of the platform. Each has a server, a worker, possibly further processes, a database with the service's name, and the app `apps/<name>-svc`. */
type Service = {
  /** Responsibility of the service, as a line of ARCHITECTURE.md. */
  readonly owns: string;
  /** The team that owns its code, its messages and its manifests. */
  readonly team: string;
  /** Port of its gRPC server, in containers and, shifted by the stack's base, on a developer's machine. */
  readonly grpcPort: number;
  /** Port of its pages or byte streams, which the gateway proxies. Null if it serves only gRPC. */
  readonly httpPort: number | null;
  /**
   * What it serves for operators, in addition to what every service serves. `retention`: how long it keeps records of a client. `usage`: counts of its own, by
   * client and hour. `quota usage`: these counts are of requests and of what clients use of their quotas.
   */
  readonly serves?: readonly Served[];
  /**
   * Processes in addition to the server and the worker. `src/start-<name>.ts` starts such a process, and its Deployment
   * is `<service>-svc-<name>`.
   */
  readonly furtherProcesses?: readonly string[];
};

/**
 * Every service of the platform, in the order in which they were added: stored erasures refer to the later ones by their position. This is the only list: code derives from it what it needs, and `npm run generate`
 * renders it into files that our programs do not read (compose.yaml, manifests, code owners, the table in
 * ARCHITECTURE.md).
 */
export const services = {
  identity: {
    owns: "Project Clients and Credentials, Platform Accounts and Sessions, identity migration and its hosted pages",
    team: "identity-team",
    grpcPort: 8090,
    httpPort: 8091,
    serves: ["retention", "usage", "quota usage"],
  },
  files: {
    owns: "File Objects: grants, uploads, classification, downloads, public images",
    team: "files-team",
    grpcPort: 8092,
    httpPort: 8093,
    serves: ["retention"],
  },
  notify: {
    owns: "sender profiles, catalogs, delivery endpoints, consent, deliveries over five channels",
    team: "notify-team",
    grpcPort: 8094,
    httpPort: 8095,
    serves: ["retention", "usage"],
    furtherProcesses: ["bounces"],
  },
  events: {
    owns: "audits with their hash chain, the event log, its consumers and subscriptions, scheduled operations",
    team: "events-team",
    grpcPort: 8096,
    httpPort: null,
    serves: ["retention", "usage", "quota usage"],
  },
  ads: {
    owns: "campaigns, decision tokens, impressions and their exact charge",
    team: "ads-team",
    grpcPort: 8098,
    httpPort: null,
  },
  // `nx generate @platform/tools:service` adds an entry above this line.
} as const satisfies Readonly<Record<string, Service>>;

export type ServiceName = keyof typeof services;

/** The services that serve pages or byte streams over HTTP. */
export type HttpServiceName = {
  [Name in ServiceName]: (typeof services)[Name]["httpPort"] extends number ? Name : never;
}[ServiceName];

/** Returns the processes of a service: `server`, `worker`, and additional ones. */
export function processesOf(name: ServiceName): readonly string[] {
  const { furtherProcesses = [] }: Service = services[name];
  return ["server", "worker", ...furtherProcesses];
}

/**
 * Returns the name of a process of a service in logs and metrics, and of its Deployment: `events-svc`,
 * `events-svc-worker`.
 */
export function processName(name: ServiceName, process: string): string {
  return process === "server" ? `${name}-svc` : `${name}-svc-${process}`;
}

/** The names of all services, in the order of the list. */
export const serviceNames = Object.keys(services) as readonly ServiceName[];

/** Returns the names of the services that serve something that not every service serves, in the order of the list. */
export const servicesThat = (served: Served): readonly ServiceName[] =>
  serviceNames.filter((name) => {
    const { serves = [] }: Service = services[name];
    return serves.includes(served);
  });

/** The names of the services that serve HTTP, in the order of the list. */
export const httpServiceNames = serviceNames.filter(
  (name): name is HttpServiceName => services[name].httpPort !== null,
);
