import { setTimeout as delay } from "node:timers/promises";
import { isServiceError } from "@platform/service-kit/errors/service-error";

const everyMs = 500;
const unavailableMsMax = 60_000;

/**
 * Makes one call of a bulk, again while the service is away, for at most a minute: a restart in the middle ends no bulk. Only for calls whose
 * repeat finds done what is done; what was done without an answer is then missing from the sums.
 */
export async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  const untilMs = Date.now() + unavailableMsMax;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isServiceError(error, "dependency_unavailable") || Date.now() > untilMs) throw error;
      await delay(everyMs);
    }
  }
}
