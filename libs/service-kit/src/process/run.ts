import type { Logger } from "./logger.ts";
import { traceProcess } from "./trace-process.ts";

/** A started process that `run` can stop. */
export type RunningProcess = {
  readonly logger: Logger;
  /** How long `close` may take, where that is longer than 25 s. */
  readonly closeMsMax?: number;
  /** Turns readiness off, before serving stops. */
  stopServing(): void;
  /** Stops claiming work, finishes or releases what is running, closes servers and connections. */
  close(): Promise<void>;
};

const closeMsDefault = 25_000;

/** Longest stop of a process that lets transfers run for `drainMs`: the other parts of a stop take up to 15 s. */
export function closeMsMaxOf(drainMs: number): number {
  return Math.max(closeMsDefault, drainMs + 15_000);
}

/**
 * Runs a process: start, wait for SIGTERM or SIGINT, stop within 25 s (or `closeMsMax`), exit 0. A failed start prints one message and exits 1. An uncaught error
 * is logged and ends the process, because its state is unknown.
 */
export async function run(start: () => Promise<RunningProcess>): Promise<void> {
  let running: RunningProcess;
  let stopTracing: () => Promise<void>;
  try {
    // Before the start, so that connections know whether they are traced.
    stopTracing = await traceProcess(process.env);
    running = await start();
  } catch (error) {
    const text =
      error instanceof Error && error.message.startsWith("bad configuration") ? error.message : (error as Error).stack;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
  const { logger } = running;
  const fatal = (error: unknown): void => {
    logger.fatal({ err: error }, "uncaught error, exiting");
    logger.flush(() => process.exit(1));
  };
  process.on("uncaughtException", fatal);
  process.on("unhandledRejection", fatal);
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, "stopping");
    running.stopServing();
    setTimeout(() => {
      logger.error("not stopped in time, exiting");
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
        (error: unknown) => fatal(error),
      );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}
