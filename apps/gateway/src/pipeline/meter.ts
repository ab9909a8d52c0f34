import { dependencyUnavailable, isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import type { UsageReporter } from "@platform/operator-plane/usage";
import { gaugeClaimsKey, quotaKey, quotaWindowOf, windowArgument } from "@platform/quota/quota-windows";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { GaugeOwners } from "../gauge-owners.ts";
import { idempotencyRecordKey, parseRecord } from "../redis/idempotency-record.ts";
import {
  claimMs,
  type Metering,
  type MeteringRequest,
  type MeteringResult,
  newClaimId,
  type Settlement,
} from "../redis/metering.ts";
import type { RecordWaiter } from "../redis/record-waiter.ts";
import type { Settlements } from "../redis/settlements.ts";
import { idempotencyInProgress, idempotencyKeyReused, quotaExceeded } from "./errors.ts";
import type { Answer, Exchange, Stage } from "./exchange.ts";
import type { ReplayRetention } from "./replay-retention.ts";

/** Longest time that a repeated request waits for the outcome of the first one, in milliseconds. */
const waitMs = 10_000;

/**
 * How long the units of an unclear outcome remain with their key if the operation refuses repeats, in milliseconds. The
 * caller has to use another key then, and the gauge's owner counts the gauge again.
 */
const refusedKeepMs = 60_000;

type MeterDependencies = {
  readonly metering: Pick<Metering, "meter">;
  readonly settlements: Pick<Settlements, "settle">;
  readonly usage: Pick<UsageReporter, "count">;
  readonly credentialUsage: Pick<UsageReporter, "count">;
  readonly waiter: RecordWaiter;
  readonly gaugeOwners: GaugeOwners;
  readonly retention: ReplayRetention;
  readonly metrics: Pick<GatewayMetrics, "quotaRefusals" | "idempotencyReplays">;
};

/**
 * Creates the stage that counts the request, reports parse errors, claims the Idempotency-Key and spends the quota, in
 * this order of precedence and in one Redis step. After the operation, the stage settles the claim: it stores the
 * outcome of a completed operation, frees the key after a failure, and releases unused units.
 */
export function meter(dependencies: MeterDependencies): Stage {
  const { metering, settlements, usage, credentialUsage, waiter, gaugeOwners, retention, metrics } = dependencies;

  const ask = (request: MeteringRequest): Promise<MeteringResult> =>
    metering.meter(request).catch((error: unknown) => {
      // Redis may have metered the request although no reply arrived. It processes this release afterwards, because
      // both use the same connection.
      settlements.settle(request, { outcome: "release", record: null });
      throw dependencyUnavailable(error);
    });

  /**
   * Meters the request. If that is not possible yet, it restores an unknown gauge from its owner, or waits while
   * another request holds the key. It does not wait longer than the other request's lease, because the key can be taken
   * over when the lease ends. The waiting time does not count towards the deadline, because the operation, which starts
   * afterwards, needs the whole time.
   */
  const enter = async (exchange: Exchange, first: MeteringRequest): Promise<MeteringResult["outcome"]> => {
    const untilMs = performance.now() + waitMs;
    let request = first;
    for (let isLast = false; ; ) {
      const { traffic, outcome } = await ask(request);
      if (traffic !== null && request.traffic !== null) {
        exchange.answerHeaders["ratelimit-policy"] = `"api_traffic";q=${request.traffic.limit};w=60`;
        exchange.answerHeaders.ratelimit = `"api_traffic";r=${traffic.remaining};t=${traffic.resetSeconds}`;
      }
      if (outcome.kind !== "traffic_exceeded" && exchange.parseError !== null) throw exchange.parseError;
      if (outcome.kind === "gauge_unknown") {
        await gaugeOwners.restore(exchange);
      } else if (outcome.kind === "key_known" && request.idempotency !== null) {
        const record = parseRecord(outcome.record);
        if (record.fingerprint !== exchange.idempotency?.fingerprint || record.state !== "running") return outcome;
        if (isLast) throw idempotencyInProgress();
        const startedAtMs = performance.now();
        await waiter
          .settled(request.idempotency.key, Math.min(untilMs, startedAtMs + outcome.leaseLeftMs))
          .catch((error) => {
            throw dependencyUnavailable(error);
          });
        exchange.deadlineMs += performance.now() - startedAtMs;
        isLast = performance.now() >= untilMs;
      } else {
        return outcome;
      }
      // Traffic is counted only once, even if the request is metered several times.
      request = { ...request, traffic: null };
    }
  };

  return async (exchange, next) => {
    const request = meteringRequest(exchange, retention.keptMs);
    if (request === null) {
      if (exchange.parseError !== null) throw exchange.parseError;
      return next();
    }
    const { client } = exchange;
    if (client !== null) {
      usage.count(client.id, "requests", 1);
      credentialUsage.count(client.credentialOwner, exchange.operation.id, 1);
    }
    const outcome = await enter(exchange, request);
    if (client !== null && outcome.kind !== "traffic_exceeded") usage.count(client.id, "api_traffic", 1);
    switch (outcome.kind) {
      case "traffic_exceeded":
        metrics.quotaRefusals.inc({ resource: "api_traffic" });
        throw quotaExceeded("api_traffic", outcome.refusal);
      case "resource_exceeded": {
        const resource = exchange.operation.quota?.resource ?? "";
        metrics.quotaRefusals.inc({ resource });
        throw quotaExceeded(resource, outcome.refusal);
      }
      case "key_known": {
        const record = parseRecord(outcome.record);
        if (record.fingerprint !== exchange.idempotency?.fingerprint) throw idempotencyKeyReused();
        // The service recognizes the key and replays or rejects the repeat. Nothing is spent.
        if (record.state === "kept_by_service") return next();
        if (record.state !== "done") throw idempotencyInProgress();
        metrics.idempotencyReplays.inc({ operation: exchange.operation.id });
        return { kind: "body", status: record.status, headers: { "idempotency-replayed": "true" }, body: record.body };
      }
      case "gauge_unknown":
        throw dependencyUnavailable();
      case "admitted":
        return settleAround(dependencies, exchange, request, next);
    }
  };
}

/**
 * Runs the operation and settles its claim. The response does not wait for Redis, and the settlement is sent again
 * until Redis accepts it.
 */
async function settleAround(
  { settlements, usage, metrics, retention }: MeterDependencies,
  exchange: Exchange,
  request: MeteringRequest,
  next: () => Promise<Answer>,
): Promise<Answer> {
  const settle = (settlement: Settlement): void => settlements.settle(request, settlement);
  try {
    const answer = await next();
    if (answer.kind !== "body") return answer;
    const wasReplayed = answer.headers?.["idempotency-replayed"] === "true";
    if (wasReplayed) metrics.idempotencyReplays.inc({ operation: exchange.operation.id });
    settle({ outcome: wasReplayed ? "replayed" : "keep", record: retention.recordOf(exchange, answer) });
    const { client, operation } = exchange;
    if (!wasReplayed && client !== null && operation.quota !== null && request.spend !== null) {
      usage.count(client.id, operation.quota.resource, request.spend.amount);
    }
    return answer;
  } catch (error) {
    if (wasDoneBefore(error)) settle({ outcome: "replayed", record: retention.recordOf(exchange, null) });
    else settle({ outcome: isUnclear(error) ? "unclear" : "release", record: null });
    throw error;
  }
}

/** Returns whether the owner rejected the operation because it has already executed it under this key. */
function wasDoneBefore(error: unknown): boolean {
  return isServiceError(error, "upload_grant_already_issued") || isServiceError(error, "idempotency_key_reused");
}

/**
 * Returns whether the operation may have been executed although it failed here. It was certainly not executed if no
 * call has left this process.
 */
function isUnclear(error: unknown): boolean {
  if (!isServiceError(error)) return true;
  const isFailure = ["dependency_unavailable", "deadline_exceeded", "internal_error"].includes(error.code);
  return isFailure && error.begun !== false;
}

/**
 * Returns the metering request of an exchange; null if nothing is metered or claimed.
 * @param keptMs how long outcomes are kept for replays
 */
function meteringRequest(exchange: Exchange, keptMs: number): MeteringRequest | null {
  const { operation, client, parseError, idempotency } = exchange;
  const traffic =
    client === null ? null : { key: quotaKey(client.id, "api_traffic"), limit: client.quotaLimits.api_traffic ?? 0 };
  const claim =
    idempotency === null || parseError !== null
      ? null
      : {
          key: idempotencyRecordKey(client?.id ?? null, operation.id, idempotency.key),
          fingerprint: idempotency.fingerprint,
          claimId: newClaimId(),
          leaseMs: claimMs,
        };
  const spend = claim === null ? null : spendRequest(exchange, keptMs);
  return traffic === null && claim === null ? null : { traffic, idempotency: claim, spend };
}

function spendRequest({ operation, client, body }: Exchange, keptMs: number): MeteringRequest["spend"] {
  const { quota } = operation;
  if (quota === null || client === null) return null;
  const amount = quota.amount === 1 ? 1 : (body as Record<string, number>)[quota.amount.bodyField];
  const limit = client.quotaLimits[quota.resource];
  if (amount === undefined || limit === undefined)
    throw new ServiceError("internal_error", `no quota figures for ${quota.resource}`);
  return {
    key: quotaKey(client.id, quota.resource),
    claimsKey: gaugeClaimsKey(client.id, quota.resource),
    window: windowArgument(quotaWindowOf(quota.resource)),
    amount,
    limit,
    keepMs: operation.idempotency?.replay === "refuse" ? refusedKeepMs : keptMs,
  };
}
