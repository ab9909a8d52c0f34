import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type CallOptions, connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import { tlsFiles } from "@platform/service-kit/process/tls-files";
import { newId } from "@platform/service-kit/secrets/id";
import { contextsFile, type Home, openHome } from "./home.ts";
import { createAuthorization } from "./sign-in/authorization.ts";
import { readSession, removeSession, type StoredSession, writeSession } from "./sign-in/session-file.ts";
import { forTerminal } from "./table.ts";
import { unknownContext } from "./usage-error.ts";

export const serviceNames = ["identity", "files", "notify", "events", "ads"] as const;
export type ServiceName = (typeof serviceNames)[number];

/** What a command is given: connections with the operator's identity, and the output. */
export type Ctl = {
  /** Connects to a service when first asked for. */
  connection(service: ServiceName): GrpcConnection;
  /** events-svc as a team calls it that has a token of its own (CONSUMER_TOKEN); without one as an operator does. */
  consumerConnection(): GrpcConnection;
  /** identity-svc, called without a login. */
  signInConnection(): GrpcConnection;
  /** Options of one call. `projectClientId` names the tenant the call is for, where there is one. */
  call(projectClientId?: string): CallOptions;
  /** Prints a result: one JSON document with --json or when piped, else `human()` or a table. */
  print(value: unknown, human?: () => string): void;
  /** Prints one compact JSON line, in every mode; for streams. */
  printLine(value: unknown): void;
  /** A setting of the environment, the context or the local stack, or undefined. */
  setting(name: string): string | undefined;
  /** The local stack's folder, if one is found. */
  readonly stackDirectory: string;
  readonly home: Home;
  /** The signed-in operator of the command's platform; null without a login. */
  readonly session: { read(): StoredSession | null; write(token: string): void; remove(): void };
  close(): void;
};

const defaultPorts: Readonly<Record<ServiceName, number>> = {
  identity: 10,
  files: 12,
  notify: 14,
  events: 16,
  ads: 18,
};

/** Options that every command takes. */
export type GlobalOptions = { readonly json?: boolean; readonly reason?: string; readonly context?: string };

/**
 * Reads the settings: those of the --context, then the environment, then the configuration file's current context, then a local stack's
 * `<STACK_DIR>/stack.env`.
 */
export async function createCtl(env: NodeJS.ProcessEnv, options: () => GlobalOptions): Promise<Ctl> {
  const stackDirectory = env.STACK_DIR ?? findStackDirectory(process.cwd());
  const stackSettings = readSettings(join(stackDirectory, "stack.env"));
  const home = openHome(env, stackDirectory);
  // Where no file names contexts, neither YAML nor its schema is loaded.
  const { readContexts, settingsOfContext } =
    home.read(contextsFile) === null ? withoutContexts : await import("./contexts.ts");
  const named = (): string | undefined => options().context ?? env.PLATFORMCTL_CONTEXT;
  const contextName = (): string | null => named() ?? readContexts(home).current ?? null;
  const setting = (name: string): string | undefined => {
    const context = contextName();
    const own = context === null ? undefined : settingsOfContext(home, context)[name];
    return (named() === undefined ? (env[name] ?? own) : (own ?? env[name])) ?? stackSettings.get(name);
  };
  const addressOf = (service: ServiceName): string => {
    const base = Number(setting("STACK_PORT_BASE") ?? 8080);
    return setting(`${service.toUpperCase()}_GRPC`) ?? `127.0.0.1:${base + defaultPorts[service]}`;
  };
  const connections = new Map<string, GrpcConnection>();
  const connect = (
    key: string,
    service: ServiceName,
    metadata?: Parameters<typeof connectGrpc>[0]["metadata"],
  ): GrpcConnection => {
    const known = connections.get(key);
    if (known !== undefined) return known;
    const connection = connectGrpc({
      address: addressOf(service),
      tls: tlsFiles({
        GRPC_PLAINTEXT_BEYOND_LOOPBACK: setting("GRPC_PLAINTEXT_BEYOND_LOOPBACK"),
        GRPC_TLS_CA: setting("GRPC_TLS_CA"),
        GRPC_TLS_CERT: setting("GRPC_TLS_CERT"),
        GRPC_TLS_KEY: setting("GRPC_TLS_KEY"),
      }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    connections.set(key, connection);
    return connection;
  };
  const call = (projectClientId?: string): CallOptions => ({
    context: {
      correlationId: newId(),
      operation: "platformctl",
      projectClient: projectClientId === undefined ? null : { id: projectClientId, environment: "" },
      idempotency: null,
    },
    deadlineMs: Date.now() + 30_000,
  });
  const signInConnection = (): GrpcConnection => connect("sign-in", "identity");
  const session = {
    read: () => readSession(home, contextName(), addressOf("identity")),
    write: (token: string) =>
      writeSession(home, contextName(), { identity: addressOf("identity"), session_token: token }),
    remove: () => removeSession(home, contextName()),
  };
  const authorization = createAuthorization({
    session: session.read,
    identity: signInConnection,
    operatorToken: () => setting("OPERATOR_TOKEN"),
    call,
    reason: () => options().reason,
  });
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  return {
    stackDirectory,
    home,
    session,
    setting,
    connection: (service) => connect(service, service, authorization),
    consumerConnection: () => {
      const token = setting("CONSUMER_TOKEN");
      if (token === undefined) return connect("events", "events", authorization);
      return connect("consumer", "events", { authorization: `Bearer ${token}` });
    },
    signInConnection,
    call,
    print: (value, human) => {
      if (options().json === true) return write(JSON.stringify(value));
      if (!process.stdout.isTTY) return write(JSON.stringify(value, null, 2));
      write(human === undefined ? forTerminal(value) : human());
    },
    printLine: (value) => write(JSON.stringify(value)),
    close: () => {
      for (const connection of connections.values()) connection.close();
    },
  };
}

const withoutContexts: Pick<typeof import("./contexts.ts"), "readContexts" | "settingsOfContext"> = {
  readContexts: () => ({ contexts: {} }),
  settingsOfContext: (_home, name) => {
    throw unknownContext(name);
  },
};

/** `.local` of this folder or of the nearest one above that has a stack's settings. */
function findStackDirectory(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".local", "stack.env"))) return join(folder, ".local");
    if (dirname(folder) === folder) return resolve(from, ".local");
  }
}

function readSettings(path: string): Map<string, string> {
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes("="));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}
