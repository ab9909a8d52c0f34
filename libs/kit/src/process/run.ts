import type { Logger } from "./logger.ts";
import { traceProcess } from "./trace-process.ts";

/** A started process that `run` can stop. */
export type RunningProcess = {
  readonly logger: Logger;
  /** Maximum duration of `close` in milliseconds, if it is longer than 25 s. */
  readonly closeMsMax?: number;
  /** Sets the process to not ready before it stops serving. */
  stopServing(): void;
  /** Stops claiming work, finishes or releases running work, and closes servers and connections. */
  close(): Promise<void>;
};

const closeMsDefault = 25_000;

/**
 * Returns the maximum duration of a stop for a process that lets transfers continue for `drainMs`. The other parts of a
 * stop take up to 15 s.
 */
export function closeMsMaxOf(drainMs: number): number {
  return Math.max(closeMsDefault, drainMs + 15_000);
}

/**
 * If a process is asked to stop while it starts, it waits this long for the start to finish, so that everything it
 * started can be closed.
 */
const startMsMax = 10_000;

/**
 * Runs a process: starts it, waits for SIGTERM or SIGINT, stops it within 25 s (or `closeMsMax`), and exits with 0. A
 * signal during the start takes effect at its end, or after 10 s. If the start fails, it prints one message and exits
 * with 1. An uncaught error is logged and ends the process, because its state is unknown.
 */
export async function run(start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess | null = null;
  let asked: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked !== null) return;
    asked = signal;
    if (running !== null) stop(running, signal, stopTracing);
    else
      setTimeout(() => {
        if (running === null) process.exit(1);
      }, startMsMax).unref();
  };
  // Probes and calls may be served before the start has ended. Without a handler, a signal would interrupt those calls,
  // or, if this is process 1 of a container, have no effect until SIGKILL.
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  let stopTracing: () => Promise<void>;
  try {
    // Tracing must start before everything else, because a connection decides when it is created whether it is traced.
    stopTracing = await traceProcess(process.env);
    running = await start();
  } catch (error) {
    const text =
      error instanceof Error && error.message.startsWith("bad configuration") ? error.message : (error as Error).stack;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
  const { logger } = running;
  process.on("uncaughtException", (error) => fatal(logger, error));
  process.on("unhandledRejection", (error) => fatal(logger, error));
  if (asked !== null) stop(running, asked, stopTracing);
}

function stop(running: RunningProcess, signal: NodeJS.Signals, stopTracing: () => Promise<void>): void {
  const { logger } = running;
  logger.info({ signal }, "stopping");
  running.stopServing();
  setTimeout(() => {
    logger.error("the process exits because it did not stop in time");
    process.exit(1);
  }, running.closeMsMax ?? closeMsDefault).unref();
  running
    .close()
    .then(stopTracing)
    .then(
      () => {
        logger.info("stopped");
        logger.flush(() => process.exit(0));
      },
      (error: unknown) => fatal(logger, error),
    );
}

function fatal(logger: Logger, error: unknown): void {
  logger.fatal({ err: error }, "the process exits after an uncaught error");
  logger.flush(() => process.exit(1));
}
