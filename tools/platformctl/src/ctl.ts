import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type CallOptions, connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import { tlsFiles } from "@platform/service-kit/process/read-env";
import { newId } from "@platform/service-kit/secrets/id";
import { forTerminal } from "./table.ts";

export type ServiceName = "identity" | "files" | "notify" | "events" | "ads";

/** What a command is given: connections that carry the operator's token, and how to answer. */
export type Ctl = {
  /** Connects to a service when first asked for. */
  connection(service: ServiceName): GrpcConnection;
  /** Options of one call. `projectClientId` names the tenant the call is for, where there is one. */
  call(projectClientId?: string): CallOptions;
  /** Prints a result: one JSON document with --json or when piped, else `human()` or a table. */
  print(value: unknown, human?: () => string): void;
  /** Prints one compact JSON line, in every mode; for streams. */
  printLine(value: unknown): void;
  /** A setting of the environment or of the local stack, or undefined. */
  setting(name: string): string | undefined;
  /** The local stack's folder, if one is found. */
  readonly stackDirectory: string;
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
export type GlobalOptions = { readonly json?: boolean; readonly reason?: string };

/** Reads the environment and, where it is silent, the settings a local stack left in `<STACK_DIR>/stack.env`. */
export function createCtl(env: NodeJS.ProcessEnv, options: () => GlobalOptions): Ctl {
  const stackDirectory = env.STACK_DIR ?? findStackDirectory(process.cwd());
  const stackSettings = readSettings(join(stackDirectory, "stack.env"));
  const setting = (name: string): string | undefined => env[name] ?? stackSettings.get(name);
  const connections = new Map<ServiceName, GrpcConnection>();
  const callMetadata = (): Record<string, string> => {
    const { reason } = options();
    return {
      authorization: `Bearer ${setting("OPERATOR_TOKEN") ?? ""}`,
      // Metadata is ASCII, a reason any text.
      ...(reason === undefined ? {} : { "x-operator-reason": encodeURIComponent(reason) }),
    };
  };
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  return {
    stackDirectory,
    setting,
    connection: (service) => {
      const known = connections.get(service);
      if (known !== undefined) return known;
      const base = Number(setting("STACK_PORT_BASE") ?? 8080);
      const connection = connectGrpc({
        address: setting(`${service.toUpperCase()}_GRPC`) ?? `127.0.0.1:${base + defaultPorts[service]}`,
        tls: tlsFiles({
          GRPC_PLAINTEXT_BEYOND_LOOPBACK: setting("GRPC_PLAINTEXT_BEYOND_LOOPBACK"),
          GRPC_TLS_CA: setting("GRPC_TLS_CA"),
          GRPC_TLS_CERT: setting("GRPC_TLS_CERT"),
          GRPC_TLS_KEY: setting("GRPC_TLS_KEY"),
        }),
        metadata: callMetadata(),
      });
      connections.set(service, connection);
      return connection;
    },
    call: (projectClientId) => ({
      context: {
        correlationId: newId(),
        operation: "platformctl",
        projectClient: projectClientId === undefined ? null : { id: projectClientId, environment: "" },
        idempotency: null,
      },
      deadlineMs: Date.now() + 30_000,
    }),
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
