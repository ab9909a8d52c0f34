import { createLogger, logToStdout } from "./logger.ts";
import type { Part } from "./part.ts";
import { envOfParts } from "./part-env.ts";
import { closeMsMaxOf, type RunningProcess } from "./run.ts";

type RunningPart = Awaited<ReturnType<Part["start"]>>;

/**
 * Starts several parts in this process, each with its own environment, stores, ports, registry and logger. The parts
 * still call each other by gRPC over loopback. An uncaught error in one part ends the whole process (`run`).
 * @param layers parts in the order in which they stop. Parts of a layer call those of later layers, so the last layer
 * starts first. Parts of one layer start and stop concurrently.
 * @param env environment of the process; `envOfParts` defines which variables each part receives
 * @throws Error of the first part that could not be started, after the others were closed
 */
export async function startTogether(
  name: string,
  layers: readonly (readonly Part[])[],
  env: NodeJS.ProcessEnv,
): Promise<RunningProcess> {
  const parts = layers.flat();
  const envs = envOfParts(
    env,
    parts.map((part) => part.name),
  );
  const logDestination = logToStdout();
  const running: RunningPart[][] = layers.map(() => []);

  const close = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const layer of running) {
      for (const part of layer) part.stopServing();
      const closed = await Promise.allSettled(layer.map((part) => part.close()));
      errors.push(...closed.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : [])));
    }
    if (errors.length > 0) throw new AggregateError(errors, `${name} did not stop cleanly`);
  };

  for (const [index, layer] of [...layers.entries()].reverse()) {
    const started = await Promise.allSettled(
      layer.map(async (part) => {
        const position = parts.indexOf(part);
        const shared = { logDestination, showsProcess: position === 0 };
        try {
          running[index]?.push(await part.start(envs[position] ?? {}, { shared }));
        } catch (error) {
          throw nameIn(part.name, error);
        }
      }),
    );
    const failed = started.find((outcome) => outcome.status === "rejected");
    if (failed === undefined) continue;
    await close().catch((error: unknown) =>
      createLogger(name, "error", logDestination).error(
        { err: error },
        "the resources of a failed start could not be released",
      ),
    );
    throw failed.reason;
  }
  const logger = createLogger(name, env.LOG_LEVEL ?? "info", logDestination);
  logger.info({ count: parts.length }, "all parts are serving");
  return {
    logger,
    closeMsMax: running.reduce(
      (sum, layer) => sum + Math.max(...layer.map((part) => part.closeMsMax ?? closeMsMaxOf(0))),
      0,
    ),
    // Only the first layer stops here. `close` stops each later layer once no part calls it any more.
    stopServing: () => {
      for (const part of running[0] ?? []) part.stopServing();
    },
    close,
  };
}

/** Prefixes an error about an invalid configuration with the name of the part. */
function nameIn(part: string, error: unknown): unknown {
  if (error instanceof Error)
    error.message = error.message.replace(/^bad configuration\n/, `bad configuration of ${part}\n`);
  return error;
}
