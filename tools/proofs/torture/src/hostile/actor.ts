import type { StackAddresses } from "./setting.ts";

/** Counts the attempts of an actor by outcome, such as `429` or `ECONNRESET`. */
export type Count = (what: string, outcome: string) => void;

/** A caller who does as much harm as its permissions allow. */
export type Actor = {
  readonly name: string;
  /** Prepares the attack once, before the first round: sign-ins, connections, listeners. */
  prepare(setting: StackAddresses): Promise<void>;
  /** Attacks until the signal aborts, and then releases its resources. */
  attack(signal: AbortSignal, count: Count): Promise<void>;
  /** Closes what `prepare` has opened. */
  close(): Promise<void>;
};

/**
 * Repeats `once` in a fixed number of concurrent loops until the signal aborts. A failure is recorded as an outcome and
 * ends nothing.
 * @param pauseMs wait after each attempt, so that attempts that are refused immediately do not keep the attacker's own
 * process busy
 */
export async function repeat(
  signal: AbortSignal,
  { loops, pauseMs }: { readonly loops: number; readonly pauseMs: number },
  what: string,
  count: Count,
  once: (signal: AbortSignal) => Promise<string | number>,
): Promise<void> {
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const outcome = await once(signal).catch(failureOf);
      if (signal.aborted) return;
      count(what, String(outcome));
      await pause(pauseMs, signal);
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
}

/** The short name of a failure: the code of a refused call or a broken connection. */
export function failureOf(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return String(code ?? cause?.code ?? (error as Error).name);
}

/**
 * Resolves after `ms` or when the signal aborts. Resolves immediately if it has already aborted, for example while data
 * that a stream had buffered is processed.
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
