import { newId } from "@platform/kit/process/secrets";
import { activeTraceparent } from "@platform/kit/process/telemetry";
import type { DerivedTokens } from "../derived-tokens.ts";
import { pendingDelivery } from "../domain/delivery.ts";
import { type DeliveryEndpoint, newVerification } from "../domain/endpoint.ts";
import { bulkheadTo } from "../domain/target.ts";
import type { Stores } from "./stores.ts";

/** How long an endpoint waits before a profile is searched for again, in milliseconds. A new profile ends the wait. */
const profileWaitMs = 60_000;

/**
 * Queues an endpoint's verification push. The endpoint's document records that a push is due, so a crash between the
 * two writes only delays the push, and the push's key prevents a second one.
 * @returns whether it was queued; without a profile the endpoint waits for one
 */
export async function queueVerificationPush(
  stores: Stores,
  tokens: DerivedTokens,
  endpoint: DeliveryEndpoint,
  correlationId: string,
  now: Date,
): Promise<boolean> {
  const { verification } = endpoint;
  if (endpoint.pushDueAt === null || verification === null) return false;
  if (verification.expiresAt <= now) return renewToken(stores, tokens, endpoint, now);
  const { generation } = verification;
  const settlePush = (pushDueAt: Date | null, lastErrorCode: string | null) =>
    stores.endpoints.change(
      endpoint.projectClientId,
      endpoint.id,
      (current) =>
        current.verification?.generation === generation && current.pushDueAt !== null
          ? { next: { ...current, pushDueAt, lastErrorCode }, failure: null }
          : { next: null, failure: null },
      { by: "platform", correlationId },
      now,
    );
  const profile = await stores.senderProfiles.findForVerification(endpoint.projectClientId, endpoint.channel);
  if (profile === null) {
    await settlePush(new Date(now.getTime() + profileWaitMs), "sender_profile_not_found");
    return false;
  }
  const id = newId();
  const delivery = pendingDelivery(endpoint, profile.id, now, {
    id,
    kind: "verification",
    intentId: id,
    templateKey: null,
    purpose: null,
    unsubscribeTokenHash: null,
    verificationGeneration: generation,
    content: null,
    correlationId,
    traceparent: activeTraceparent() ?? null,
  });
  const key = `verification:${endpoint.id}:${generation}`;
  await stores.deliveries.insertVerification(delivery, {
    key,
    fingerprint: key,
    bulkhead: bulkheadTo(endpoint, profile.id),
  });
  await settlePush(null, null);
  return true;
}

/** Replaces a token that expired before it could be sent. The push with the new token is due immediately. */
async function renewToken(
  stores: Stores,
  tokens: DerivedTokens,
  endpoint: DeliveryEndpoint,
  now: Date,
): Promise<boolean> {
  await stores.endpoints.change(
    endpoint.projectClientId,
    endpoint.id,
    (current) => {
      if (current.verification === null || current.verification.expiresAt > now) return { next: null, failure: null };
      const generation = current.verification.generation + 1;
      const verification = newVerification(tokens.verificationHash(current.id, generation), generation, now);
      return { next: { ...current, verification, pushDueAt: now }, failure: null };
    },
    { by: "platform", correlationId: null },
    now,
  );
  return false;
}
