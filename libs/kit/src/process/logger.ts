import pino, { type DestinationStream, type Logger as PinoLogger } from "pino";

export type Logger = PinoLogger;

/** Maximum delay between logging a line and writing it. */
const flushMs = 50;

/**
 * Allow-list of log fields. All other fields are omitted, so that secrets, tokens in URLs and payloads cannot reach a
 * log by accident.
 */
const loggedFields = new Set([
  "service", "process", "correlation_id", "operation", "rpc", "method", "route", "status", "code", "duration_ms",
  "project_client_id", "environment", "credential_id", "account_id", "resource_id", "job", "attempt", "attempts", "count", "port",
  "address", "reason", "err", "signal", "release", "channel", "provider_status", "component", "trace_id", "bytes", "lag_ms", "version",
  "caller", "peer_name", "dropped_fields", "state", "audit_head", "audit_length", "who",
]); // biome-ignore format: a list

/**
 * Removes the secrets that libraries quote in messages: values of a duplicate key (addresses of people), user and
 * password of a URL, and the platform's tokens and keys (64 hex characters).
 */
function withoutValues(text: string): string {
  return text
    .replace(/dup key: [\s\S]*?(?=\n {4}at |$)/g, "dup key")
    .replace(/\/\/[^\s/@]{1,512}@/g, "//")
    .replace(/[0-9a-f]{64}/gi, "…");
}

/** Returns the logged form of an error: type, message, code and stack, and the same for each of its causes. */
function logError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: withoutValues(error.message),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    stack: error.stack === undefined ? undefined : withoutValues(error.stack),
    ...(error.cause === undefined || depth >= 3 ? {} : { cause: logError(error.cause, depth + 1) }),
  };
}

/**
 * Creates a logger that writes one JSON object per line to stdout.
 * @param level a pino level; "silent" for none
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const allow = (fields: Record<string, unknown>): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    for (const name in fields) if (loggedFields.has(name)) kept[name] = fields[name];
    return kept;
  };
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: allow,
        bindings: allow,
      },
      serializers: { err: (error: unknown) => logError(error) },
    },
    destination ?? logToStdout(),
  );
}

/**
 * Opens stdout for log lines; the loggers of one process may share it. Lines are batched, because a write for each line
 * would cost a thread-pool job per request. They are batched as bytes, because sonic-boom would recount and copy a
 * batched string with each added line.
 */
export function logToStdout(): DestinationStream {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    contentMode: "buffer",
    minLength: 32 * 1024,
    maxWrite: 64 * 1024,
  });
  let willFlush = false;
  const stream = {
    write: (line: string) => {
      // In this mode the destination accepts bytes, although its type only allows strings.
      destination.write(Buffer.from(line) as unknown as string);
      if (willFlush) return;
      // pino's own `periodicFlush` would wake a thread even when there is nothing to write.
      willFlush = true;
      setTimeout(() => {
        willFlush = false;
        try {
          destination.flush();
        } catch {
          // Stdout is closed.
        }
      }, flushMs).unref();
    },
    // pino calls this for `logger.flush` and after a fatal line.
    flush: (done?: (error?: Error) => void) => destination.flush(done),
    flushSync: () => destination.flushSync(),
  };
  return stream;
}

/** Creates a logger that writes nothing, for tests. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}
