import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const readyMsMax = 180_000;
/** Time limit for MongoDB, which first reads its data: the embedded engine reads about 60,000 documents per second. */
const mongoReadyMsMax = 600_000;

/** Returns the last lines in the log of a process. */
export function lastLines(logPath: string): string {
  const log = existsSync(logPath) ? readFileSync(logPath, "utf8") : "";
  return log.trimEnd().split("\n").slice(-3).join("\n");
}

/**
 * Waits until a process of the stack is ready.
 * @param ended resolves with its exit code or signal
 * @throws Error if it ends before it is ready, or is not ready in time
 */
export async function waitUntilReady(
  process: { readonly name: string; readonly logPath: string; isReady(): Promise<boolean> },
  ended: Promise<string>,
): Promise<void> {
  const { name, logPath } = process;
  let failure: string | null = null;
  void ended.then((how) => {
    failure = how;
  });
  const msMax = name === "mongo" ? mongoReadyMsMax : readyMsMax;
  const until = performance.now() + msMax;
  for (;;) {
    const isReady = await process.isReady();
    // This is checked before the response is trusted, because another process may now use the port of a process that has ended.
    if (failure !== null) throw new Error(`${name} ${failure}; see ${logPath}\n${lastLines(logPath)}`);
    if (isReady) return;
    if (performance.now() > until) throw new Error(`${name} was not ready within ${msMax / 1000} s; see ${logPath}`);
    await delay(50);
  }
}

/** Returns whether an HTTP server responds to the URL with success within a second. */
export async function isHttpReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
