import { setTimeout as delay } from "node:timers/promises";
import { type CallOptions, steadyNowMs } from "@platform/kit/rpc/client";
import { dependencyUnavailable, isServiceError } from "@platform/kit/rpc/errors";
import type { Quota } from "@platform/quota/quota";
import type { Exchange } from "./pipeline/exchange.ts";

/** Interval of the checks whether the claims on a gauge have ended, in milliseconds. */
const claimsPollMs = 50;

/** Counts what a gauge quota measures, for one Project Client, at the service that owns the resource. */
export type GaugeCount = (clientId: string, resource: string, call: CallOptions) => Promise<number>;

/**
 * Restores gauges that Redis does not know: those of a new Project Client, or all of them after Redis has lost its
 * data.
 */
export type GaugeOwners = {
  /**
   * Counts the gauge of the request's operation at its owner and sets it, unless another request has already done so.
   */
  restore(exchange: Exchange): Promise<void>;
};

/** @param owners the function that counts each gauge resource */
export function createGaugeOwners(quota: Quota, owners: Readonly<Record<string, GaugeCount>>): GaugeOwners {
  return {
    restore: async (exchange) => {
      const resource = exchange.operation.quota?.resource ?? "";
      const count = owners[resource];
      const { client } = exchange;
      if (count === undefined || client === null)
        throw dependencyUnavailable(new Error(`no owner counts the gauge ${resource}`));
      const call: CallOptions = {
        context: {
          correlationId: exchange.correlationId,
          operation: exchange.operation.id,
          projectClient: { id: client.id, environment: client.environment },
          idempotency: null,
        },
        deadlineMs: exchange.deadlineMs,
        retryUnavailable: true,
      };
      const restore = (): Promise<boolean> =>
        quota
          .restoreGauge(client.id, resource, () => count(client.id, resource, call))
          .catch((error: unknown) => {
            throw isServiceError(error) ? error : dependencyUnavailable(error);
          });
      // The wait uses at most half of the remaining time, so that the operation itself still has time.
      const waitUntilMs = performance.now() + (exchange.deadlineMs - steadyNowMs()) / 2;
      while (!(await restore())) {
        if (performance.now() + claimsPollMs >= waitUntilMs)
          throw dependencyUnavailable(new Error(`claims on the gauge ${resource} are still under way`));
        await delay(claimsPollMs);
      }
    },
  };
}
