import type { Channel } from "../domain/channel.ts";
import type { MessageContent, Outcome } from "../domain/delivery.ts";
import type { AttachedFile } from "../domain/mail-fields.ts";

/** The contents of a message: a notification, or a verification token. */
export type OutgoingMessage =
  | {
      readonly kind: "notification";
      readonly content: MessageContent;
      readonly unsubscribeUrl: string | null;
      /** Attachments of an email. */
      readonly attachments?: readonly AttachedFile[];
    }
  | { readonly kind: "verification"; readonly token: string };

/** One message to one address. */
export type SendRequest = {
  /** The same for every attempt of one delivery. Each provider's idempotency or collapse key is derived from it. */
  readonly deliveryId: string;
  readonly projectClientId: string;
  /** Null for a test message of a sender profile. */
  readonly endpointId: string | null;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly address: string;
  /** Environment of the Project Client. */
  readonly environment: string;
  readonly message: OutgoingMessage;
  readonly acceptedAt: Date;
  /** Number of seconds for which the message is worth delivering. */
  readonly ttlSeconds: number;
  /**
   * Called immediately before the first byte of the message is sent. If it returns false, the sender throws NotBegun
   * and has sent nothing.
   */
  readonly mayBegin: () => boolean;
};

/**
 * Implements one provider's protocol. It returns the attempt's outcome, and throws no error that a provider can
 * cause.
 * @throws NotBegun
 */
export type Sender<Config> = {
  /** @param profileId key under which connections and tokens are cached */
  send(profileId: string, config: Config, request: SendRequest, signal: AbortSignal): Promise<Outcome>;
  /** Closes the connections and drops the tokens that are cached under the key. */
  forget(profileId: string): void;
  close(): Promise<void>;
};

/**
 * Maximum number of concurrent deliveries of one worker in one bulkhead, which is the number of its own connections,
 * or of streams of its HTTP/2 connection. A worker claims no more than that, so a claimed delivery never waits for a
 * connection. Mail servers commonly allow ten to twenty connections per host.
 */
export const connectionsMax: Readonly<Record<Channel, number>> = {
  email: 16,
  fcm: 64,
  apns: 100,
  line: 64,
  web_push: 64,
};

/** The data of a push that carries a verification token. */
export function verificationData(token: string): { readonly type: "endpoint_verification"; readonly token: string } {
  return { type: "endpoint_verification", token };
}
