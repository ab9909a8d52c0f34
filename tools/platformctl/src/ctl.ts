import { addressVariable } from "@platform/contracts/service-addresses";
import { type ServiceName, services } from "@platform/contracts/services";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { tlsFiles } from "@platform/kit/process/tls";
import { type CallOptions, connectGrpc, type GrpcConnection, steadyNowMs } from "@platform/kit/rpc/client";
import { contextsFile, type Home, openHome } from "./home.ts";
import { findLocalStack } from "./local-stack.ts";
import { printable, printableJson } from "./printable.ts";
import { readTextFile } from "./read-text.ts";
import { readStandardInput } from "./secrets.ts";
import { type Assistant, createAuthorization } from "./sign-in/authorization.ts";
import { readSession, removeSession, type StoredSession, writeSession } from "./sign-in/session-file.ts";
import { forTerminal } from "./table.ts";
import { UsageError, unknownContext } from "./usage-error.ts";

/** Dependencies of a command: connections with the operator's identity, and the output. */
export type Ctl = {
  /** Connects to a service at the first call. */
  connection(service: ServiceName): GrpcConnection;
  /** Connects to events-svc with the token of an event consumer (CONSUMER_TOKEN), or as an operator if there is no token. */
  consumerConnection(): GrpcConnection;
  /** Connects to identity-svc without a login. */
  signInConnection(): GrpcConnection;
  /** Returns the options of one call. `projectClientId` is the tenant of the call, if there is one. */
  call(projectClientId?: string): CallOptions;
  /** Prints a result: one JSON document with --json or if stdout is piped, otherwise `human()` or a table. */
  print(value: unknown, human?: () => string): void;
  /** Prints one compact JSON line, in every mode; for streams. */
  printLine(value: unknown): void;
  /** Returns a setting of the environment, the context or the local stack, or undefined. */
  setting(name: string): string | undefined;
  /** Returns the break-glass token as it would be presented to identity-svc, or undefined. */
  operatorToken(): string | undefined;
  /** Returns the text of a document that an option names: the content of a file, or the value itself if an assistant passes it. */
  readDocument(given: string, option: string): string;
  /** Returns the text on standard input, without the line break at its end. An assistant's command has none, because the protocol uses standard input. */
  readStandardInput(): Promise<string>;
  /**
   * Opens the same platform for an assistant, which calls on behalf of the person who is signed in. It has connections of its own.
   */
  forAssistant(assistant: Assistant, reason?: string): Promise<Ctl>;
  /** Returns the local stack's folder. Throws a UsageError if there is none. */
  stackDirectory(): string;
  readonly home: Home;
  /** The signed-in operator of the command's platform; null without a login. */
  readonly session: { read(): StoredSession | null; write(token: string): void; remove(): void };
  close(): void;
};

/** The base port of a stack whose ports were not moved. */
const defaultBase = 8080;

/** Options that every command accepts. */
export type GlobalOptions = { readonly json?: boolean; readonly reason?: string; readonly context?: string };

/**
 * Reads the settings: those of the --context, then the environment, then the configuration file's current context, then the local stack's `stack.env`. A
 * stack that was found, and not set by STACK_DIR, is used only if no context is chosen, and secrets of the environment are never sent to the addresses of
 * such a stack.
 * @param assistant the program that calls for the signed-in person; null if the person calls
 */
export async function createCtl(
  env: NodeJS.ProcessEnv,
  options: () => GlobalOptions,
  localStack = findLocalStack(env, process.cwd()),
  assistant: Assistant | null = null,
): Promise<Ctl> {
  const home = openHome(env, localStack?.directory ?? null);
  // If no file defines contexts, neither YAML nor its schema is loaded.
  const { readContexts, settingsOfContext } =
    home.read(contextsFile) === null ? withoutContexts : await import("./contexts.ts");
  const named = (): string | undefined => options().context ?? env.PLATFORMCTL_CONTEXT;
  const contextName = (): string | null => named() ?? readContexts(home).current ?? null;
  const given = (name: string): string | undefined => {
    const context = contextName();
    const own = context === null ? undefined : settingsOfContext(home, context)[name];
    return named() === undefined ? (env[name] ?? own) : (own ?? env[name]);
  };
  const ofStack = (name: string): string | undefined =>
    localStack?.isNamed === true || contextName() === null ? localStack?.settings.get(name) : undefined;
  const setting = (name: string): string | undefined => given(name) ?? ofStack(name);
  const addressOf = (service: ServiceName): string => {
    const base = Number(setting("STACK_PORT_BASE") ?? defaultBase);
    return setting(addressVariable(service, "GRPC")) ?? `127.0.0.1:${base + services[service].grpcPort - defaultBase}`;
  };
  /** Returns whether the service's address comes from a stack that was only found. */
  const isAddressFound = (service: ServiceName): boolean => {
    const own = addressVariable(service, "GRPC");
    if (localStack === null || localStack.isNamed || given(own) !== undefined) return false;
    const isBaseGiven = given("STACK_PORT_BASE") !== undefined;
    return ofStack(own) !== undefined || (!isBaseGiven && ofStack("STACK_PORT_BASE") !== undefined);
  };
  const secretFor = (service: ServiceName, name: string): string | undefined => {
    if (!isAddressFound(service)) return setting(name);
    const own = ofStack(name);
    if (own === undefined && given(name) !== undefined)
      throw new UsageError(
        `${name} from the environment is not sent to a local stack that was found by its folder; set STACK_DIR=${localStack?.directory} to use both`,
      );
    return own;
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
      ...defined({ metadata }),
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
    deadlineMs: steadyNowMs() + 30_000,
  });
  const signInConnection = (): GrpcConnection => connect("sign-in", "identity");
  const session = {
    read: () => readSession(home, contextName(), addressOf("identity")),
    write: (token: string) =>
      writeSession(home, contextName(), { identity: addressOf("identity"), session_token: token }),
    remove: () => removeSession(home, contextName()),
  };
  const authorizationFor = createAuthorization({
    session: session.read,
    identity: signInConnection,
    operatorToken: (service) => secretFor(service, "OPERATOR_TOKEN"),
    call,
    reason: () => options().reason,
    assistant,
  });
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  return {
    stackDirectory: () => {
      if (localStack !== null) return localStack.directory;
      throw new UsageError("no local stack was found; set STACK_DIR to its folder");
    },
    home,
    session,
    setting,
    operatorToken: () => (assistant === null ? secretFor("identity", "OPERATOR_TOKEN") : undefined),
    readDocument: (given, option) => (assistant === null ? readTextFile(given, option) : given),
    readStandardInput: async () => {
      if (assistant !== null) throw new UsageError("a tool has no standard input");
      return readStandardInput();
    },
    forAssistant: (other, reason) => {
      const { context } = options();
      return createCtl(env, () => ({ json: true, ...defined({ context, reason }) }), localStack, other);
    },
    connection: (service) => connect(service, service, authorizationFor(service)),
    consumerConnection: () => {
      const token = assistant === null ? secretFor("events", "CONSUMER_TOKEN") : undefined;
      if (token === undefined) return connect("events", "events", authorizationFor("events"));
      return connect("consumer", "events", { authorization: `Bearer ${token}` });
    },
    signInConnection,
    call,
    print: (value, human) => {
      if (options().json === true) return write(printableJson(value));
      if (!process.stdout.isTTY) return write(printableJson(value, 2));
      write(printable(human === undefined ? forTerminal(value) : human()));
    },
    printLine: (value) => {
      // The assistant's protocol uses standard output.
      if (assistant !== null)
        throw new UsageError("this command does not end by itself, so it is not available as a tool");
      write(printableJson(value));
    },
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
