import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";

/** Interval at which the reader of an open stream is checked again, in milliseconds. */
const readmitMs = 4_000;

/** Longest delay that a timer in Node can have, in milliseconds. */
const timerMsMax = 2 ** 31 - 1;

type Bounds = {
  /** Expiry of the caller's assertion in epoch milliseconds; null for callers without an assertion. */
  readonly expiresAtMs: number | null;
  /** Current time in epoch milliseconds, by the clock that verifies assertions. */
  readonly now: () => number;
  /** Checks the reader again, and rejects if it may no longer read. */
  readonly readmit: () => Promise<void>;
};

/**
 * Streams replies until the caller's assertion expires or the caller is no longer admitted. A person who signs out, is
 * removed or loses a role therefore receives replies for at most a few more seconds.
 * @param run the RPC, which receives the call with a signal that also aborts at that time
 * @throws ServiceError unauthenticated once the assertion has expired, after which a client continues with a new one;
 * the error of `readmit`
 */
export async function* untilExpiry<T>(
  call: ServerCall,
  { expiresAtMs, now, readmit }: Bounds,
  run: (call: ServerCall) => AsyncIterable<T>,
): AsyncIterable<T> {
  if (expiresAtMs === null) return yield* run(call);
  const end = new AbortController();
  const expiry = setTimeout(
    () => end.abort(assertionExpired()),
    Math.min(Math.max(0, expiresAtMs - now()), timerMsMax),
  );
  const readmission = setInterval(() => void readmit().catch((error: unknown) => end.abort(error)), readmitMs);
  const signal = AbortSignal.any([call.signal, end.signal]);
  const replies = run(boundedCall(call, signal))[Symbol.asyncIterator]();
  const ended = new Promise<"ended">((resolve) => {
    end.signal.addEventListener("abort", () => resolve("ended"), { once: true });
  });
  try {
    for (;;) {
      // The wait also ends here, so an RPC that is waiting does not have to check its signal.
      const next = await Promise.race([replies.next(), ended]);
      if (next === "ended" || end.signal.aborted) throw end.signal.reason;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(expiry);
    clearInterval(readmission);
    end.abort();
    // The end is not awaited, because an RPC that ignores its signal would keep the stream open.
    void Promise.resolve(replies.return?.()).catch(() => {});
  }
}

/** Returns the same call with another signal. */
function boundedCall(call: ServerCall, signal: AbortSignal): ServerCall {
  return new Proxy(call, {
    get: (target, name) => (name === "signal" ? signal : Reflect.get(target, name, target)),
  });
}

const assertionExpired = (): ServiceError =>
  new ServiceError("unauthenticated", "The operator assertion has expired; go on with a new one.");
