import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";

/** The longest a timer of Node waits, in milliseconds. */
const timerMsMax = 2 ** 31 - 1;

/**
 * Streams replies until the caller's assertion expires, so that who signs out or loses a role reads on for the rest of it at most.
 * @param expiresAtMs epoch milliseconds; null for callers without an assertion
 * @param now present time in epoch milliseconds, by the clock that assertions are verified with
 * @param run the RPC. It is given the call with a signal that also aborts at the expiry
 * @throws ServiceError unauthenticated once the assertion has expired; a client continues with a new one
 */
export async function* untilExpiry<T>(
  call: ServerCall,
  expiresAtMs: number | null,
  now: () => number,
  run: (call: ServerCall) => AsyncIterable<T>,
): AsyncIterable<T> {
  if (expiresAtMs === null) return yield* run(call);
  const expiry = new AbortController();
  const timer = setTimeout(() => expiry.abort(), Math.min(Math.max(0, expiresAtMs - now()), timerMsMax));
  const signal = AbortSignal.any([call.signal, expiry.signal]);
  const replies = run(boundedCall(call, signal))[Symbol.asyncIterator]();
  const expired = new Promise<"expired">((resolve) => {
    expiry.signal.addEventListener("abort", () => resolve("expired"), { once: true });
  });
  try {
    for (;;) {
      // An RPC that waits does not have to see its signal.
      const next = await Promise.race([replies.next(), expired]);
      if (next === "expired" || expiry.signal.aborted) throw assertionExpired();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    expiry.abort();
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
