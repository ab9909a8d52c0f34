import { newId } from "@platform/kit/process/secrets";
import { activeTraceparent } from "@platform/kit/process/telemetry";
import { isServiceError, ServiceError, type Violation } from "@platform/kit/rpc/errors";
import { requireIdempotency, requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import type { Channel } from "../domain/channel.ts";
import { type Delivery, type MessageContent, pendingDelivery } from "../domain/delivery.ts";
import type { DeliveryEndpoint } from "../domain/endpoint.ts";
import { attachmentBytesMax, MailFieldInvalid } from "../domain/mail-fields.ts";
import { PushFieldInvalid } from "../domain/push-fields.ts";
import { RenderedTooLarge, renderTemplate } from "../domain/render-template.ts";
import type { SenderProfile } from "../domain/sender-profile.ts";
import { bulkheadTo } from "../domain/target.ts";
import { localeCandidates, type Template, variableViolations } from "../domain/template.ts";
import { endpointFailure, endpointNotFound } from "./failures.ts";
import type { RpcDeps } from "./rpc-deps.ts";

/** The common input of both intent operations. */
type IntentRequest = {
  readonly senderProfileId: string;
  readonly templateKey: string;
  readonly locale: string;
  readonly endpointId: string;
  readonly variablesJson: string;
};

/** The differences between the two operations. */
type IntentKind = {
  /**
   * Scope of the idempotency key. The two operations share a collection, but a key of one does not apply to the
   * other.
   */
  readonly keyScope: "email" | "channel";
  readonly takes: (channel: Channel) => boolean;
  /** Purpose whose consent is checked again just before sending; null if none is needed. */
  readonly purpose: string | null;
  /** Throws if the endpoint's owner has not consented. */
  readonly assertConsent: (endpoint: DeliveryEndpoint) => void;
  readonly canUnsubscribe: boolean;
};

/**
 * Accepts an intent. A repeated key gets the first outcome, even if the request would be rejected now, for example
 * because the endpoint was revoked. The key is looked up only if the intent is rejected, so accepting costs no extra
 * read.
 */
export async function acceptIntent(deps: RpcDeps, request: IntentRequest, kind: IntentKind, call: ServerCall) {
  const claim = requireIdempotency(call);
  const client = requireProjectClient(call);
  const scoped = { key: `${kind.keyScope}:${claim.key}`, fingerprint: claim.fingerprint };
  try {
    const now = deps.clock();
    const validated = await validateIntent(deps, client.id, request, kind);
    await requireAttachments(deps, validated.content, client, call);
    const { endpoint, profile } = validated;
    const { templateKey } = request;
    const made = newDelivery(deps, { ...validated, templateKey, kind, correlationId: call.correlationId, now });
    const keys = { ...scoped, bulkhead: bulkheadTo(endpoint, profile.id) };
    const { delivery, replayed } = await deps.stores.deliveries.insertIntent(made, keys);
    return answer(delivery, replayed);
  } catch (error) {
    if (!isServiceError(error) || error.code === "idempotency_key_reused") throw error;
    const earlier = await deps.stores.deliveries.findByKey(client.id, scoped);
    if (earlier === null) throw error;
    return answer(earlier, true);
  }
}

/**
 * Builds the response. It describes the intent as it was accepted, regardless of what has happened to its delivery
 * since.
 */
function answer(delivery: Delivery, replayed: boolean) {
  return { intent: { intentId: delivery.intentId, deliveryId: delivery.id, status: "pending" }, replayed };
}

async function validateIntent(
  deps: RpcDeps,
  projectClientId: string,
  request: IntentRequest,
  kind: IntentKind,
): Promise<{ endpoint: DeliveryEndpoint; profile: SenderProfile; content: MessageContent }> {
  const { stores } = deps;
  const [endpoint, profile] = await Promise.all([
    stores.endpoints.find(projectClientId, request.endpointId),
    stores.senderProfiles.find(projectClientId, request.senderProfileId),
  ]);
  if (endpoint === null) throw endpointNotFound();
  if (!kind.takes(endpoint.channel)) throw channelMismatch();
  if (endpoint.status === "revoked") throw endpointFailure("delivery_endpoint_revoked");
  if (endpoint.status !== "verified") {
    throw new ServiceError("delivery_endpoint_not_verified", "The Delivery Endpoint is not verified.");
  }
  if (profile === null) {
    throw new ServiceError("sender_profile_not_found", "This Project Client has no sender profile with this id.");
  }
  if (profile.channel !== endpoint.channel) throw channelMismatch();
  const template = await findTemplate(deps, projectClientId, request, profile);
  const variables = JSON.parse(request.variablesJson) as Record<string, string | number>;
  const violations = variableViolations(template.variables, variables);
  if (violations.length > 0) throw variablesMismatch(violations.slice(0, 50));
  const content = render(template, variables);
  kind.assertConsent(endpoint);
  return { endpoint, profile, content };
}

async function findTemplate(
  { stores }: RpcDeps,
  projectClientId: string,
  request: IntentRequest,
  profile: SenderProfile,
): Promise<Template> {
  const locales = localeCandidates(request.locale, profile.defaultLocale);
  const key = request.templateKey;
  const template = await stores.catalogs.find(projectClientId, key, profile.channel, locales);
  if (template !== null) return template;
  if (await stores.catalogs.existsForOtherChannel(projectClientId, key, profile.channel, locales)) {
    throw channelMismatch();
  }
  throw new ServiceError("template_not_found", "No template has this key for this channel in a fitting locale.");
}

function render(template: Template, variables: Readonly<Record<string, string | number>>): MessageContent {
  try {
    return renderTemplate(template, variables);
  } catch (error) {
    if (error instanceof PushFieldInvalid || error instanceof MailFieldInvalid) {
      throw variablesMismatch([{ path: "/variables", code: "invalid_value", message: error.message }]);
    }
    const message = error instanceof RenderedTooLarge ? error.message : "the template cannot be rendered with these";
    throw variablesMismatch([{ path: "/variables", code: "too_large", message }]);
  }
}

/** Rejects an email whose attachments do not exist or are too large together. They are read when the email is sent. */
async function requireAttachments(
  { files }: RpcDeps,
  { mail }: MessageContent,
  { id: projectClientId, environment }: { readonly id: string; readonly environment: string },
  { correlationId, deadlineMs }: ServerCall,
): Promise<void> {
  if (mail === undefined || mail.attachments.length === 0) return;
  const ids = mail.attachments.map(({ fileId }) => fileId);
  const sizes = await files.sizes({ projectClientId, environment, correlationId }, ids, deadlineMs);
  const missing = mail.attachments.find(({ fileId }) => !sizes.has(fileId));
  if (missing !== undefined) {
    const message = `the attachment ${missing.name} is no available File Object of this Project Client`;
    throw variablesMismatch([{ path: "/variables", code: "invalid_value", message }]);
  }
  const bytes = ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  if (bytes > attachmentBytesMax) {
    const message = `the attachments have ${bytes} bytes of at most ${attachmentBytesMax} together`;
    throw variablesMismatch([{ path: "/variables", code: "too_large", message }]);
  }
}

function variablesMismatch(violations: readonly Violation[]): ServiceError {
  return new ServiceError("template_variables_mismatch", "The variables are not those the template declares.", {
    details: { violations },
  });
}

function channelMismatch(): ServiceError {
  return new ServiceError(
    "channel_mismatch",
    "The sender profile, the template and the endpoint have different channels.",
  );
}

function newDelivery(
  { tokens }: RpcDeps,
  made: {
    readonly endpoint: DeliveryEndpoint;
    readonly profile: SenderProfile;
    readonly content: MessageContent;
    readonly templateKey: string;
    readonly kind: IntentKind;
    readonly correlationId: string;
    readonly now: Date;
  },
): Delivery {
  const id = newId();
  const { endpoint, profile, kind, now } = made;
  return pendingDelivery(endpoint, profile.id, now, {
    id,
    kind: "intent",
    intentId: newId(),
    templateKey: made.templateKey,
    purpose: kind.purpose,
    unsubscribeTokenHash: kind.canUnsubscribe ? tokens.unsubscribeHash(id) : null,
    verificationGeneration: null,
    content: made.content,
    correlationId: made.correlationId,
    traceparent: activeTraceparent() ?? null,
  });
}
