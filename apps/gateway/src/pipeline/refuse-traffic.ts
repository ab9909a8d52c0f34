import type { NamedOperation } from "@platform/contracts/operations";
import { quotaKey } from "@platform/quota/quota-windows";
import { observeSeconds } from "@platform/service-kit/process/metrics";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { CallingClient } from "../handler.ts";
import type { RememberedRefusal, TrafficRefusals } from "../load/traffic-refusals.ts";
import type { CredentialCache } from "../redis/credential-cache.ts";
import { knownClient } from "./authenticate.ts";
import { errorAnswer, knownError } from "./error-answer.ts";
import { quotaExceeded } from "./refusals.ts";

/** What is looked at of a request. */
type TrafficQuestion = {
  readonly operation: NamedOperation;
  readonly authorization: string | undefined;
  readonly isCorrelationIdMalformed: boolean;
};

/** A Project Client and its refusal. */
export type RefusedTraffic = { readonly client: CallingClient; readonly refusal: RememberedRefusal };

/** Refuses Project Clients whose traffic is known to be used up, where the pipeline would find it out: behind 401, 403 and a bad correlation id. */
export function createTrafficDoor(options: {
  readonly credentials: CredentialCache;
  readonly trafficRefusals: TrafficRefusals;
  readonly metrics: GatewayMetrics;
}) {
  const { credentials, trafficRefusals, metrics } = options;
  return {
    /** @param how `look` for a request that will be found again if it is not refused now, else `find` */
    find: (
      how: "find" | "look",
      { operation, authorization, isCorrelationIdMalformed }: TrafficQuestion,
    ): RefusedTraffic | null => {
      if (trafficRefusals.isEmpty() || operation.auth.scheme !== "projectCredential") return null;
      if (isCorrelationIdMalformed && operation.correlationIdDeclared) return null;
      const client = knownClient(credentials, authorization);
      if (client === null || !client.scopes.includes(operation.auth.scope)) return null;
      const refusal = trafficRefusals[how](quotaKey(client.id, "api_traffic"), client.quotaLimits.api_traffic ?? 0);
      return refusal === null ? null : { client, refusal };
    },
    /** The answer, counted, and the headers that say how the quota stands. */
    answer: (operation: NamedOperation, correlationId: string, { refusal }: RefusedTraffic) => {
      metrics.quotaRefusals.inc({ resource: "api_traffic" });
      const labels = { operation: operation.id, status: "429", code: "platform_quota_exceeded" };
      observeSeconds(metrics.requestDuration, labels, 0);
      return {
        answer: errorAnswer(knownError(quotaExceeded("api_traffic", refusal)), correlationId, operation),
        quotaHeaders: {
          "ratelimit-policy": `"api_traffic";q=${refusal.limit};w=60`,
          ratelimit: `"api_traffic";r=0;t=${refusal.retryAfterSeconds}`,
        },
      };
    },
  };
}
