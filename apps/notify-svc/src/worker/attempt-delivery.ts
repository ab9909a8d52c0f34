import { setTimeout as delay } from "node:timers/promises";
import { backoffMs } from "@platform/kit/jobs/pacing";
import { inSpan } from "@platform/kit/process/telemetry";
import type { Channel } from "../domain/channel.ts";
import { type Delivery, type Outcome, providerStatusOf, settle, ttlSecondsOf } from "../domain/delivery.ts";
import { type DeliveryEndpoint, failVerification, revoke } from "../domain/endpoint.ts";
import { reasonNotToSend } from "../domain/may-send.ts";
import { isCredentialFault } from "../domain/sender-profile.ts";
import { suppressDead } from "../domain/suppression.ts";
import { NotBegun } from "../providers/ask-first.ts";
import { noAnswer } from "../providers/http-answer.ts";
import type { OutgoingMessage } from "../providers/sender.ts";
import type { ClaimedDelivery, SettledTry } from "../store/delivery-queue.ts";
import { reportOf } from "./report-of-recipient.ts";
import type { WorkerDeps } from "./worker-deps.ts";

/**
 * Time that an attempt has in addition to the provider's response time, for connecting and for waiting for a
 * connection.
 */
const connectMs = 10_000;
/** Attempts that start within this time share one timer. */
const limitSharedMs = 250;
const settleDelaysMs = [50, 200, 1_000, 3_000];

/**
 * Returns the function that processes one claimed delivery: it checks whether the delivery may be sent, attempts it,
 * and writes the result. It calls `onTried` once the attempt is over and its effect on the endpoint is written, so that
 * the next delivery does not have to wait for this one's record.
 */
export function createAttempt(deps: WorkerDeps) {
  const { stores, queue, clock, metrics, retryRule } = deps;
  const timeLimit = createTimeLimit(deps.answerMs + connectMs);

  /** Puts a delivery that an operator has stopped back into the queue, or fails it once it has expired. */
  const waitOrGiveUp = async (claimed: ClaimedDelivery, errorCode: string): Promise<void> => {
    const { delivery } = claimed;
    if (clock() <= delivery.giveUpAt) return queue.putBack(claimed);
    await queue.fail(claimed, errorCode);
    metrics.finished.inc({ channel: delivery.channel, status: "failed" });
  };

  const trySending = async (
    claimed: ClaimedDelivery,
    endpoint: DeliveryEndpoint,
    signal: AbortSignal,
  ): Promise<Outcome> => {
    const { delivery } = claimed;
    const profile = await deps.profiles.open(delivery.projectClientId, delivery.senderProfileId);
    if (profile === null) return { kind: "rejected", errorCode: "sender_profile_not_found" };
    const message = messageOf(deps, delivery, endpoint);
    if (message === null) return { kind: "rejected", errorCode: "service_key_unknown" };
    const attached = await attachmentsOf(deps, delivery, endpoint, message, timeLimit(signal));
    if (attached.refusal !== null) return attached.refusal;
    const request = {
      deliveryId: delivery.id,
      projectClientId: delivery.projectClientId,
      endpointId: delivery.endpointId,
      attempt: delivery.attempts,
      address: endpoint.address,
      environment: endpoint.environment,
      message: attached.message,
      acceptedAt: delivery.createdAt,
      ttlSeconds: ttlSecondsOf(delivery, clock()),
      mayBegin: () => queue.isHeld(claimed),
    };
    return inSpan(`provider ${delivery.channel}`, { kind: "client" }, async () => {
      const { current, previous } = profile;
      const outcome = await deps.senders.send(current.key, current.config, request, timeLimit(signal));
      const isRefused = outcome.kind === "rejected" && isCredentialFault(delivery.channel, outcome.errorCode);
      if (!isRefused || previous === null || clock() >= previous.until) return outcome;
      // During the overlap, the previous secret is used if the provider rejects the new one.
      return deps.senders.send(previous.key, previous.config, request, timeLimit(signal));
    });
  };

  return async (claimed: ClaimedDelivery, signal: AbortSignal, onTried: (outcome: Outcome) => void): Promise<void> => {
    const { delivery } = claimed;
    const endpoint = await stores.endpoints.findForDelivery(delivery.endpointId);
    if (deps.disabledClients.has(delivery.projectClientId)) return waitOrGiveUp(claimed, "client_disabled");
    if (deps.profiles.isDisabled(delivery.senderProfileId)) return waitOrGiveUp(claimed, "sender_profile_disabled");
    const refusal = reasonNotToSend(delivery, endpoint, clock());
    if (refusal !== null || endpoint === null) {
      await queue.fail(claimed, refusal ?? "delivery_endpoint_not_found");
      metrics.finished.inc({ channel: delivery.channel, status: "failed" });
      return;
    }
    const [startedAt, startedMs] = [clock(), performance.now()];
    const outcome = await trySending(claimed, endpoint, signal).catch((error: unknown) => {
      if (error instanceof NotBegun) return null;
      deps.logger.error(
        { err: error, resource_id: delivery.id, channel: delivery.channel },
        "a delivery failed inside the platform",
      );
      return noAnswer(error);
    });
    if (outcome === null)
      deps.logger.warn({ resource_id: delivery.id }, "a delivery was not sent because its lease had ended");
    if (outcome === null || (signal.aborted && outcome.kind === "retry")) {
      await queue.release(claimed, outcome !== null);
      return;
    }
    // The endpoint is updated first. Otherwise, after a crash in between, the next delivery would try the dead address again.
    await markEndpoint(deps, delivery, outcome);
    const waitMs = backoffMs(retryRule, delivery.attempts);
    if (outcome.kind === "retry") await postponeOthers(deps, delivery, outcome, waitMs);
    onTried(outcome);
    const now = clock();
    const settled: SettledTry = {
      claimed,
      settlement: settle(delivery, outcome, retryRule.attemptsMax, waitMs, now),
      providerStatus: providerStatusOf(outcome),
      attempt: {
        attempt: delivery.attempts,
        at: startedAt,
        providerStatus: providerStatusOf(outcome),
        errorCode: outcome.kind === "accepted" ? null : outcome.errorCode,
        durationMs: Math.round(performance.now() - startedMs),
      },
    };
    await retried(() => queue.settle(settled));
    if (outcome.kind === "accepted" && outcome.report !== undefined) await reportOf(deps, delivery, outcome.report);
    const isProfiles = isOfProfile(delivery.channel, outcome);
    if (isProfiles !== null) await deps.failures.note(delivery.senderProfileId, isProfiles);
    observe(deps, settled);
  };
}

/**
 * Returns whether an outcome proves that the sender profile works or fails; null if it concerns the message or the
 * address.
 */
function isOfProfile(channel: Channel, outcome: Outcome): boolean | null {
  if (outcome.kind === "accepted") return true;
  const isFault =
    outcome.kind === "retry" || (outcome.kind === "rejected" && isCredentialFault(channel, outcome.errorCode));
  return isFault ? false : null;
}

/**
 * Creates signals that abort with the given signal, or after the attempt's time limit. Attempts share timers, because
 * one timer for each attempt would cost more CPU than encoding its documents.
 */
function createTimeLimit(limitMs: number): (signal: AbortSignal) => AbortSignal {
  let shared: { readonly of: AbortSignal; readonly untilMs: number; readonly limit: AbortSignal } | null = null;
  return (signal) => {
    const nowMs = performance.now();
    if (shared === null || shared.of !== signal || nowMs >= shared.untilMs) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs + limitSharedMs)]);
      shared = { of: signal, untilMs: nowMs + limitSharedMs, limit };
    }
    return shared.limit;
  };
}

/**
 * Retries a write. An accepted delivery that was not recorded would be sent again, so short outages of the database
 * are waited out within the lease.
 */
async function retried(write: () => Promise<void>): Promise<void> {
  for (const delayMs of settleDelaysMs) {
    try {
      return await write();
    } catch {
      await delay(delayMs);
    }
  }
  await write();
}

function messageOf(deps: WorkerDeps, delivery: Delivery, endpoint: DeliveryEndpoint): OutgoingMessage | null {
  if (delivery.kind === "verification") {
    const { verification } = endpoint;
    if (verification === null) return null;
    const token = deps.tokens.verification(endpoint.id, verification.generation, verification.tokenHash);
    return token === null ? null : { kind: "verification", token };
  }
  if (delivery.content === null) return null;
  if (delivery.unsubscribeTokenHash === null) {
    return { kind: "notification", content: delivery.content, unsubscribeUrl: null };
  }
  const token = deps.tokens.unsubscribe(delivery.id, delivery.unsubscribeTokenHash);
  if (token === null) return null;
  const unsubscribeUrl = `${deps.publicBaseUrl}/api/v1/unsubscribe/${token}`;
  return { kind: "notification", content: delivery.content, unsubscribeUrl };
}

type WithAttachments = { readonly message: OutgoingMessage; readonly refusal: Outcome | null };

/**
 * Returns the message with the contents of its attachments, or the reason why it cannot be sent: a file no longer
 * exists, or files-svc does not respond.
 */
async function attachmentsOf(
  { files, logger }: WorkerDeps,
  { id, projectClientId, correlationId }: Delivery,
  { environment }: DeliveryEndpoint,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<WithAttachments> {
  const named = message.kind === "notification" ? (message.content.mail?.attachments ?? []) : [];
  if (message.kind !== "notification" || named.length === 0) return { message, refusal: null };
  try {
    const attachments = await files.read({ projectClientId, environment, correlationId }, named, signal);
    if (attachments !== null) return { message: { ...message, attachments }, refusal: null };
    return { message, refusal: { kind: "rejected", errorCode: "attachment_unavailable" } };
  } catch (error) {
    logger.warn({ err: error, resource_id: id }, "attachments could not be read; the email is tried again");
    const providerStatus = "unavailable";
    const errorCode = "attachments_not_read";
    return {
      message,
      refusal: { kind: "retry", providerStatus, errorCode, retryAfterMs: null, isProviderWide: false },
    };
  }
}

async function markEndpoint({ stores, clock }: WorkerDeps, delivery: Delivery, outcome: Outcome): Promise<void> {
  if (outcome.kind !== "address_dead") return;
  const { projectClientId, endpointId, ownershipGeneration, verificationGeneration } = delivery;
  await stores.endpoints.change(
    projectClientId,
    endpointId,
    (current) => {
      // The response concerns an earlier owner of the address and must not affect the current one.
      if (current.ownershipGeneration !== ownershipGeneration) return { next: null, failure: null };
      if (delivery.channel === "email") return suppressDead(current, "refused", outcome.errorCode, clock());
      return verificationGeneration === null
        ? revoke(current, outcome.errorCode)
        : failVerification(current, verificationGeneration, outcome.errorCode);
    },
    { by: "provider", correlationId: delivery.correlationId, deliveryId: delivery.id },
    clock(),
  );
}

/**
 * Postpones the other deliveries to an endpoint together with this one. If the endpoint is throttled, they wait as
 * long as its provider requested, but at most for the longest backoff. If the provider fails, they wait at most as
 * long as their bulkhead is paused.
 */
async function postponeOthers(
  { queue, clock, logger, retryRule, pauseMs }: WorkerDeps,
  { id, endpointId }: Delivery,
  outcome: Extract<Outcome, { kind: "retry" }>,
  waitMs: number,
): Promise<void> {
  const mostMs = outcome.isProviderWide ? pauseMs : retryRule.maxMs;
  const until = new Date(clock().getTime() + Math.min(mostMs, Math.max(waitMs, outcome.retryAfterMs ?? 0)));
  // If this write fails, the other deliveries are attempted sooner and then wait as well.
  await queue
    .postponeTo(endpointId, until)
    .catch((error: unknown) =>
      logger.warn({ err: error, resource_id: id }, "the deliveries of an endpoint could not be postponed"),
    );
}

function observe({ metrics, clock }: WorkerDeps, { claimed, settlement, attempt }: SettledTry): void {
  const { channel, createdAt } = claimed.delivery;
  metrics.attempts.inc({ channel, provider_status: attempt.providerStatus });
  metrics.attemptSeconds.observe({ channel }, attempt.durationMs / 1000);
  if (settlement.status === "pending") return;
  metrics.finished.inc({ channel, status: settlement.status });
  if (settlement.status !== "sent") return;
  const sentAfterMs = Math.max(0, clock().getTime() - createdAt.getTime());
  metrics.deliverySeconds.observe({ channel }, sentAfterMs / 1000);
}
