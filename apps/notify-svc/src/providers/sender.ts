import type { MessageContent, Outcome } from "../domain/delivery.ts";

/** What is to be said: a notification, or the token that proves who has the address. */
export type OutgoingMessage =
  | { readonly kind: "notification"; readonly content: MessageContent; readonly unsubscribeUrl: string | null }
  | { readonly kind: "verification"; readonly token: string };

/** One message on its way to one address. */
export type SendRequest = {
  /** The same for every try of one delivery: each provider's idempotency or collapse key is made of it. */
  readonly deliveryId: string;
  readonly address: string;
  /** Environment of the Project Client. */
  readonly environment: string;
  readonly message: OutgoingMessage;
  readonly acceptedAt: Date;
  /** Seconds the message is worth delivering. */
  readonly ttlSeconds: number;
};

/** Speaks one provider's protocol. It answers what came of the try and throws nothing a provider can cause. */
export type Sender<Config> = {
  /** @param profileId what connections and tokens are kept under */
  send(profileId: string, config: Config, request: SendRequest, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
};

/** Connections kept to one provider by one worker. */
export const connectionsMax = 32;

/** The data of a push that carries a verification token. */
export function verificationData(token: string): { readonly type: "endpoint_verification"; readonly token: string } {
  return { type: "endpoint_verification", token };
}
