import type { Channel } from "./channel.ts";
import type { DeliveryEndpoint } from "./endpoint.ts";
import type { MailContent } from "./mail-fields.ts";
import type { PushContent } from "./push-fields.ts";

export const deliveryStatuses = ["pending", "sending", "sent", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** A rendered message. It is rendered when the intent is accepted, so that every attempt sends the same. */
export type MessageContent = {
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  /** The additional fields of a push. Null for emails, and for a push with only title and text. */
  readonly push: PushContent | null;
  /** The additional fields of an email. Missing for pushes, and for an email with only texts. */
  readonly mail?: MailContent;
};

/** A provider's last response. */
export type ProviderStatus =
  | "accepted"
  | "captured"
  | "throttled"
  | "unavailable"
  | "no_answer"
  | "rejected"
  | "address_dead";

/** Result of one attempt at a provider. */
export type Outcome =
  /**
   * With `isCaptured`, the message was stored instead of being sent to a provider, and `report` is what a mail server
   * would later report about it.
   */
  | { readonly kind: "accepted"; readonly isCaptured?: true; readonly report?: "bounced" | "complained" }
  /** The provider reports the address as permanently unreachable. */
  | { readonly kind: "address_dead"; readonly errorCode: string }
  /**
   * An error in the message or the credentials, or a permanent rejection: another attempt would have the same result.
   */
  | { readonly kind: "rejected"; readonly errorCode: string }
  | {
      readonly kind: "retry";
      readonly providerStatus: "throttled" | "unavailable" | "no_answer";
      readonly errorCode: string;
      /** The wait that the provider requested, in milliseconds; null if it did not request one. */
      readonly retryAfterMs: number | null;
      /** True if the failure concerns the provider, as opposed to this message or mailbox. */
      readonly isProviderWide: boolean;
    };

/** One attempt, or a later report about it, as operators see it. */
export type DeliveryAttempt = {
  readonly attempt: number;
  readonly at: Date;
  readonly providerStatus: ProviderStatus | "bounced" | "complained";
  readonly errorCode: string | null;
  readonly durationMs: number;
};

/** One message to one endpoint: the delivery of an intent, or a push that contains a verification token. */
export type Delivery = {
  readonly id: string;
  readonly projectClientId: string;
  readonly kind: "intent" | "verification";
  readonly intentId: string;
  readonly channel: Channel;
  /** Null for verification pushes, and for deliveries that earlier versions stored. */
  readonly templateKey: string | null;
  readonly senderProfileId: string;
  readonly endpointId: string;
  /** The endpoint's ownership generation when the message was accepted. */
  readonly ownershipGeneration: number;
  /** Purpose whose consent is checked before sending; null if none is needed. */
  readonly purpose: string | null;
  /** Hash of the token in the unsubscribe link; null if the email has none. */
  readonly unsubscribeTokenHash: string | null;
  /** Generation of the token in a verification push; null for other messages. */
  readonly verificationGeneration: number | null;
  /** Null once the message has been sent, because contents are not kept. */
  readonly content: MessageContent | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly dueAt: Date;
  /** Time after which the message is not attempted again. */
  readonly giveUpAt: Date;
  readonly providerStatus: ProviderStatus | null;
  readonly lastErrorCode: string | null;
  readonly attemptLog: readonly DeliveryAttempt[];
  readonly correlationId: string;
  /** W3C trace context of the request if tracing is enabled, so that the attempts appear in its trace. */
  readonly traceparent: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};

type OwnFields = "id" | "kind" | "intentId" | "templateKey" | "purpose" | "unsubscribeTokenHash";
type MessageFields = OwnFields | "verificationGeneration" | "content" | "correlationId" | "traceparent";

/** Creates a delivery that has not been attempted yet. */
export function pendingDelivery(
  endpoint: DeliveryEndpoint,
  senderProfileId: string,
  now: Date,
  message: Pick<Delivery, MessageFields>,
): Delivery {
  return {
    ...message,
    projectClientId: endpoint.projectClientId,
    channel: endpoint.channel,
    senderProfileId,
    endpointId: endpoint.id,
    ownershipGeneration: endpoint.ownershipGeneration,
    status: "pending",
    attempts: 0,
    dueAt: now,
    giveUpAt: new Date(now.getTime() + Math.min(giveUpMs, (message.content?.push?.ttlSeconds ?? Infinity) * 1000)),
    providerStatus: null,
    lastErrorCode: null,
    attemptLog: [],
    createdAt: now,
    finishedAt: null,
  };
}

/** How often and for how long a delivery is attempted. */
export type RetryRule = {
  readonly baseMs: number;
  readonly maxMs: number;
  readonly jitter: number;
  readonly attemptsMax: number;
};

/** The backoff after n attempts is 2 s · 2ⁿ, at most 10 minutes, ± 20 %. A delivery has up to 8 attempts. */
export const retryRule: RetryRule = { baseMs: 2_000, maxMs: 600_000, jitter: 0.2, attemptsMax: 8 };

/** A delivery is given up 24 hours after it was accepted. */
export const giveUpMs = 24 * 60 * 60 * 1000;

/**
 * Time to live of a message in seconds. By default it lasts until the delivery is given up, but at least one minute.
 */
export function ttlSecondsOf({ content, giveUpAt }: Pick<Delivery, "content" | "giveUpAt">, now: Date): number {
  const untilGivenUp = Math.round((giveUpAt.getTime() - now.getTime()) / 1000);
  const ttlSeconds = content?.push?.ttlSeconds ?? null;
  if (ttlSeconds === null) return Math.max(60, untilGivenUp);
  // A provider may keep a message for longer than the platform tries to deliver it.
  const afterGivenUp = Math.max(0, ttlSeconds - giveUpMs / 1000);
  return Math.max(1, Math.min(ttlSeconds, untilGivenUp + afterGivenUp));
}

/** State of a delivery after an attempt. */
export type Settlement =
  | { readonly status: "sent" }
  | { readonly status: "failed"; readonly errorCode: string }
  | { readonly status: "pending"; readonly errorCode: string; readonly dueAt: Date };

/**
 * Decides the state of a delivery after an attempt.
 * @param attempts number of attempts, including this one
 * @param backoffMs backoff after this number of attempts
 */
export function settle(
  delivery: { readonly attempts: number; readonly giveUpAt: Date },
  outcome: Outcome,
  attemptsMax: number,
  backoffMs: number,
  now: Date,
): Settlement {
  if (outcome.kind === "accepted") return { status: "sent" };
  if (outcome.kind !== "retry") return { status: "failed", errorCode: outcome.errorCode };
  const dueAt = new Date(now.getTime() + Math.max(backoffMs, outcome.retryAfterMs ?? 0));
  if (delivery.attempts >= attemptsMax || dueAt > delivery.giveUpAt) {
    return { status: "failed", errorCode: outcome.errorCode };
  }
  return { status: "pending", errorCode: outcome.errorCode, dueAt };
}

/** The provider status that an attempt with this outcome has. */
export function providerStatusOf(outcome: Outcome): ProviderStatus {
  if (outcome.kind === "retry") return outcome.providerStatus;
  return outcome.kind === "accepted" && outcome.isCaptured === true ? "captured" : outcome.kind;
}

/**
 * The bulkhead of a delivery, which consists of one Project Client, profile and provider. Bulkheads are served round
 * robin, each with its own limit and circuit breaker, so that no client or provider delays another.
 * @param origin of the push service, for Web Push, where one profile sends to many providers
 */
export function bulkheadOf(
  channel: Channel,
  projectClientId: string,
  senderProfileId: string,
  origin: string | null,
): string {
  return [channel, projectClientId, senderProfileId, ...(origin === null ? [] : [origin])].join(" ");
}

/** Returns the Project Client of a bulkhead. */
export function clientOfBulkhead(bulkhead: string): string {
  return bulkhead.split(" ", 2)[1] ?? "";
}

/** Returns the sender profile of a bulkhead. */
export function profileOfBulkhead(bulkhead: string): string {
  return bulkhead.split(" ", 3)[2] ?? "";
}

/** Returns the channel of a bulkhead. */
export function channelOfBulkhead(bulkhead: string): Channel {
  return bulkhead.slice(0, bulkhead.indexOf(" ")) as Channel;
}
