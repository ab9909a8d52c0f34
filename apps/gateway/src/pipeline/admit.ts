import { quotaKey, quotaWindowOf, windowArgument } from "@platform/quota/quota-windows";
import { dependencyUnavailable, isServiceError, ServiceError } from "@platform/service-kit/errors/service-error";
import type { Logger } from "@platform/service-kit/process/logger";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { LevelOwners } from "../level-owners.ts";
import type { Admission, AdmissionRequest, AdmissionResult } from "../redis/admission.ts";
import {
  claimMs,
  doneRecord,
  idempotencyRecordKey,
  keptByServiceRecord,
  parseRecord,
  type RecordWaiter,
  replayMs,
  runningRecord,
  unclearRecord,
} from "../redis/idempotency-records.ts";
import { createReplayRetention, type ReplayRetention } from "../redis/replay-retention.ts";
import type { Answer, Exchange, Stage } from "./exchange.ts";
import { idempotencyInProgress, idempotencyKeyReused, quotaExceeded } from "./refusals.ts";

/** Longest time a repeated request waits for the first one's outcome. */
const waitMs = 10_000;

type AdmitDependencies = {
  readonly admission: Admission;
  readonly waiter: RecordWaiter;
  readonly levelOwners: LevelOwners;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
};

/**
 * Counts the request, answers what parsing found, claims the Idempotency-Key and spends the quota: the stages count-traffic,
 * claim-idempotency-key and spend-quota in one step of Redis, in that order of precedence. On the way back it settles the claim: keeps the
 * outcome of a completed operation, frees the key after a failure, gives back what was not used.
 */
export function admit(dependencies: AdmitDependencies): Stage {
  const { admission, waiter, levelOwners, metrics, logger } = dependencies;
  const settling = { ...dependencies, retention: createReplayRetention() };

  const ask = async (request: AdmissionRequest): Promise<AdmissionResult> => {
    try {
      return await admission.admit(request);
    } catch (error) {
      admission
        .undo(request)
        .catch(() => logger.warn({ err: error }, "an admission without an answer was not taken back"));
      throw dependencyUnavailable(error);
    }
  };

  /** Counts levels anew at their owner when Redis does not know them, and waits while another request holds the key. */
  const enter = async (exchange: Exchange, first: AdmissionRequest): Promise<AdmissionResult["outcome"]> => {
    const until = Date.now() + waitMs;
    let request = first;
    for (;;) {
      const { traffic, outcome } = await ask(request);
      if (traffic !== null && request.traffic !== null) {
        exchange.answerHeaders["ratelimit-policy"] = `"api_traffic";q=${request.traffic.limit};w=60`;
        exchange.answerHeaders.ratelimit = `"api_traffic";r=${traffic.remaining};t=${traffic.resetSeconds}`;
      }
      if (outcome.kind !== "traffic_exceeded" && exchange.parseError !== null) throw exchange.parseError;
      if (outcome.kind === "level_unknown") {
        await levelOwners.restore(exchange);
      } else if (outcome.kind === "key_known" && request.idempotency !== null) {
        const record = parseRecord(outcome.record);
        if (record.fingerprint !== exchange.idempotency?.fingerprint || record.state !== "running") return outcome;
        const settled = await waiter.settled(request.idempotency.key, until).catch((error) => {
          throw dependencyUnavailable(error);
        });
        if (settled === "running") throw idempotencyInProgress();
        if (settled !== null && !settled.startsWith("O")) return { kind: "key_known", record: settled };
      } else {
        return outcome;
      }
      // A request is counted once, however often it has to ask.
      request = { ...request, traffic: null };
    }
  };

  return async (exchange, next) => {
    const request = admissionRequest(exchange);
    if (request === null) {
      if (exchange.parseError !== null) throw exchange.parseError;
      return next();
    }
    const outcome = await enter(exchange, request);
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
        // The service recognises the key: it answers the repeat, or refuses it, and nothing is spent.
        if (record.state === "kept_by_service") return next();
        if (record.state !== "done") throw idempotencyInProgress();
        metrics.idempotencyReplays.inc({ operation: exchange.operation.id });
        return { kind: "body", status: record.status, headers: { "idempotency-replayed": "true" }, body: record.body };
      }
      case "level_unknown":
        throw dependencyUnavailable();
      case "admitted":
        return settleAround(settling, exchange, request, outcome, next);
    }
  };
}

/** Runs the operation and ends its claim. The answer does not wait for Redis: an unsettled claim only makes a repeat ask the service. */
async function settleAround(
  { admission, logger, metrics, retention }: AdmitDependencies & { readonly retention: ReplayRetention },
  exchange: Exchange,
  request: AdmissionRequest,
  admitted: { wasUnclear: boolean; windowEndsAtMs: number },
  next: () => Promise<Answer>,
): Promise<Answer> {
  const settle = (record: string | null, giveBack: "nothing" | "units" | "forget"): void => {
    const { idempotency, spend } = request;
    if (idempotency === null && (spend === null || giveBack === "nothing")) return;
    admission
      .settle({
        idempotencyKey: idempotency?.key ?? null,
        claimRecord: idempotency?.claimRecord ?? "",
        record,
        recordMs: exchange.client === null && record !== null ? retention.forSource(exchange.source) : replayMs,
        giveBack:
          spend === null || giveBack === "nothing"
            ? null
            : {
                key: spend.key,
                amount: spend.amount,
                windowEndsAtMs: admitted.windowEndsAtMs,
                forget: giveBack === "forget",
              },
      })
      .catch((error: unknown) =>
        logger.warn({ err: error, correlation_id: exchange.correlationId }, "a claim was not settled"),
      );
  };
  const fingerprint = exchange.idempotency?.fingerprint ?? "";
  try {
    const answer = await next();
    if (answer.kind !== "body") return answer;
    const wasReplayed = answer.headers?.["idempotency-replayed"] === "true";
    if (wasReplayed) metrics.idempotencyReplays.inc({ operation: exchange.operation.id });
    const isKept = exchange.operation.idempotency?.replay === "outcome";
    // A replay costs nothing. After an unclear outcome the first try's units were given back already, so this one's stay spent.
    const giveBack = wasReplayed && !admitted.wasUnclear ? "units" : "nothing";
    settle(isKept ? doneRecord(fingerprint, answer.status, answer.body) : keptByServiceRecord(fingerprint), giveBack);
    return answer;
  } catch (error) {
    if (isUnclear(error)) {
      // Nobody knows whether the service did it. A level is counted anew at its owner; a counter gets its unit back, and the record says so.
      const isLevel = request.spend?.window === 0;
      settle(unclearRecord(fingerprint), isLevel ? "forget" : "units");
    } else {
      settle(null, "units");
    }
    throw error;
  }
}

/** May the operation have happened although it failed here? */
function isUnclear(error: unknown): boolean {
  return (
    !isServiceError(error) || ["dependency_unavailable", "deadline_exceeded", "internal_error"].includes(error.code)
  );
}

/** What Redis is asked for this request; null when nothing of it is metered or claimed. */
function admissionRequest(exchange: Exchange): AdmissionRequest | null {
  const { operation, client, parseError, idempotency } = exchange;
  const traffic =
    client === null ? null : { key: quotaKey(client.id, "api_traffic"), limit: client.quotaLimits.api_traffic ?? 0 };
  const claim =
    idempotency === null || parseError !== null
      ? null
      : {
          key: idempotencyRecordKey(client?.id ?? null, operation.id, idempotency.key),
          claimRecord: runningRecord(idempotency.fingerprint),
          claimMs,
        };
  const spend = parseError === null ? spendRequest(exchange) : null;
  return traffic === null && claim === null && spend === null ? null : { traffic, idempotency: claim, spend };
}

function spendRequest({ operation, client, body }: Exchange): AdmissionRequest["spend"] {
  const { quota } = operation;
  if (quota === null || client === null) return null;
  const amount = quota.amount === 1 ? 1 : (body as Record<string, number>)[quota.amount.bodyField];
  const limit = client.quotaLimits[quota.resource];
  if (amount === undefined || limit === undefined)
    throw new ServiceError("internal_error", `no quota figures for ${quota.resource}`);
  const window = windowArgument(quotaWindowOf(quota.resource));
  return { key: quotaKey(client.id, quota.resource), window, amount, limit };
}
