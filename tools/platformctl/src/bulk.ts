import { setTimeout as delay } from "node:timers/promises";
import { isServiceError } from "@platform/kit/rpc/errors";

const everyMs = 500;
const unavailableMsMax = 60_000;

/**
 * Makes one call of a bulk operation and repeats it while the service is unavailable, for at most a minute, so that a restart of the service does not end the
 * operation. Use it only for calls that are safe to repeat. If a response is lost, the results of that call are missing from the sums.
 */
export async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + unavailableMsMax;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isServiceError(error, "dependency_unavailable") || performance.now() > untilMs) throw error;
      await delay(everyMs);
    }
  }
}
