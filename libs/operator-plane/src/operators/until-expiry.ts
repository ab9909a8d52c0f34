import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";

/** How often the reader of an open stream is admitted anew, in milliseconds. */
const readmitMs = 4_000;

/** The longest a timer of Node waits, in milliseconds. */
const timerMsMax = 2 ** 31 - 1;

type Bounds = {
  /** Epoch milliseconds; null for callers without an assertion. */
  readonly expiresAtMs: number | null;
  /** Present time in epoch milliseconds, by the clock that assertions are verified with. */
  readonly now: () => number;
  /** Rejects once the reader may not go on. */
  readonly readmit: () => Promise<void>;
};

/**
 * Streams replies until the caller's assertion expires, or the caller is no longer admitted: a person who signs out, is removed or loses a role reads
 * on for a few seconds at most.
 * @param run the RPC. It is given the call with a signal that also aborts at the end
 * @throws ServiceError unauthenticated once the assertion has expired, a client continues with a new one; the refusal of `readmit`
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
      // An RPC that waits does not have to see its signal.
      const next = await Promise.race([replies.next(), ended]);
      if (next === "ended" || end.signal.aborted) throw end.signal.reason;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(expiry);
    clearInterval(readmission);
    end.abort();
    // Not awaited: an RPC that ignores its signal would keep the stream open.
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
