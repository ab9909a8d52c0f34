import type { Socket } from "node:net";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { traceProcess } from "@platform/service-kit/process/trace-process";
import { createGatewayMetrics } from "../gateway-metrics.ts";
import type { FromRelay, RelaySettings, ToRelay } from "./relay-messages.ts";
import { serveRelayed } from "./serve-relayed.ts";

/** How long transfers may go on when the gateway is gone and nobody else can end this process. */
const orphanMs = 20_000;

/**
 * The life of a relay process: it serves what it is handed and ends when it is told to, or when the gateway is gone, as soon as no
 * connection is left. Signals are for the gateway.
 */
export function runRelay(env: NodeJS.ProcessEnv): void {
  const connections = new Set<Socket>();
  let logger: Logger | null = null;
  let stopTracing = async (): Promise<void> => {};
  let serve: ReturnType<typeof serveRelayed> | null = null;
  let isDraining = false;

  const tell = (message: FromRelay): void => {
    if (process.connected) process.send?.(message, () => {});
  };
  const exit = async (code: number): Promise<void> => {
    await stopTracing();
    if (logger === null) process.exit(code);
    logger.flush(() => process.exit(code));
  };
  const start = async (settings: RelaySettings): Promise<void> => {
    logger = createLogger("gateway", settings.logLevel).child({ process: "relay" });
    stopTracing = await traceProcess(env);
    serve = serveRelayed(settings, logger, {
      ...createGatewayMetrics(),
      requestDuration: { observe: (...observation: unknown[]) => tell({ kind: "observed", observation }) },
    });
    tell({ kind: "ready" });
  };
  const drain = (): void => {
    isDraining = true;
    if (connections.size === 0) void exit(0);
  };
  const end = (socket: Socket): void => {
    connections.delete(socket);
    tell({ kind: "ended" });
    if (isDraining && connections.size === 0) void exit(0);
  };
  const take = (socket: Socket | undefined, received: Uint8Array): void => {
    tell({ kind: "took" });
    // The peer may have closed the connection on its way here: then there is nothing to serve.
    if (socket === undefined || serve === null) {
      socket?.destroy();
      tell({ kind: "ended" });
      return;
    }
    connections.add(socket);
    socket.once("close", () => end(socket));
    serve(socket, received);
  };

  const fatal = (error: unknown): void => {
    logger?.fatal({ err: error }, "uncaught error, exiting");
    void exit(1);
  };
  process.on("uncaughtException", fatal).on("unhandledRejection", fatal);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("message", (message: ToRelay, socket: Socket | undefined) => {
    if (message.kind === "start") void start(message.settings);
    else if (message.kind === "serve") take(socket, message.received);
    else drain();
  });
  process.once("disconnect", () => {
    setTimeout(() => void exit(0), orphanMs).unref();
    drain();
  });
}
