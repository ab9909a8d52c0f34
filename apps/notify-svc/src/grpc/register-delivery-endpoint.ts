import { newId } from "@platform/kit/process/secrets";
import { requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import { checkOutboundUrl, OutboundRefused, outboundPolicyOf } from "@platform/kit/web/outbound";
import type { RegisterDeliveryEndpointRequest } from "@platform/proto/notify/v1/notify_service";
import { canonicalSubscription, readPushSubscription } from "../domain/address.ts";
import { type Channel, registrableChannels } from "../domain/channel.ts";
import { firstOwnership, newVerification, reregisterChannel } from "../domain/endpoint.ts";
import { queueVerificationPush } from "../store/verification-pushes.ts";
import { encodeEndpoint } from "./encode-endpoint.ts";
import { contractViolation } from "./failures.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/**
 * Registers a channel endpoint, or finds the existing one, and queues the push that contains the verification token.
 */
export const registerDeliveryEndpoint =
  (deps: RpcDeps) => async (request: RegisterDeliveryEndpointRequest, call: ServerCall) => {
    const { stores, tokens, clock } = deps;
    const client = requireProjectClient(call);
    const channel = registrableChannels.find((name) => name === request.channel);
    if (channel === undefined) throw contractViolation("/channel", "invalid_value", "must be fcm, apns or web_push");
    const address = await normalAddress(deps, channel, request.identifier, client.environment);
    const now = clock();
    const id = newId();
    const { endpoint, isChanged } = await stores.endpoints.upsert(
      {
        id,
        projectClientId: client.id,
        environment: client.environment,
        channel,
        address,
        status: "pending",
        verification: newVerification(tokens.verificationHash(id, 1), 1, now),
        ownershipGeneration: firstOwnership,
        verifiedAt: null,
        grantedPurposes: [],
        withdrawnPurposes: [],
        lastErrorCode: null,
        pushDueAt: now,
        resubscription: null,
        suppression: null,
        version: 1,
        createdAt: now,
      },
      (current) =>
        reregisterChannel(
          current,
          (generation) => tokens.verificationHash(current.id, generation),
          client.environment,
          now,
        ),
      { by: "project", correlationId: call.correlationId },
      now,
    );
    if (isChanged) {
      // The endpoint is registered even if this fails: the worker finds the push that is still due.
      await queueVerificationPush(stores, tokens, endpoint, call.correlationId, now).catch((error: unknown) =>
        call.logger.warn({ err: error }, "a verification push could not be sent; the worker tries it again"),
      );
    }
    return { endpoint: encodeEndpoint(endpoint) };
  };

/**
 * Returns the canonical address. A web push subscription must be valid, and the platform must be allowed to call its
 * push service.
 */
async function normalAddress(
  deps: RpcDeps,
  channel: Channel,
  identifier: string,
  environment: string,
): Promise<string> {
  if (channel !== "web_push") return identifier;
  const subscription = readPushSubscription(identifier);
  if ("problem" in subscription) throw contractViolation("/identifier", "invalid_format", subscription.problem);
  try {
    checkOutboundUrl(subscription.endpoint, outboundPolicyOf(environment, deps.outboundAllow));
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    throw contractViolation("/identifier", "invalid_format", `the push service may not be called: ${error.reason}`);
  }
  return canonicalSubscription(subscription);
}
