import type { Outcome } from "../domain/delivery.ts";
import type { ChannelConfig } from "../domain/sender-profile.ts";
import { createApnsSender } from "./apns.ts";
import { createFcmSender } from "./fcm.ts";
import { createLineSender } from "./line.ts";
import type { SendRequest } from "./sender.ts";
import { createSmtpSender } from "./smtp.ts";
import { createWebPushSender } from "./web-push.ts";

/** Addresses of the providers. */
export type ProviderAddresses = {
  readonly smtpUrl: string | null;
  readonly fcmBaseUrl: string;
  readonly fcmTokenUrl: string;
  /** The address that is used instead of Apple's own hosts; null for Apple's hosts. */
  readonly apnsBaseUrl: string | null;
  readonly lineBaseUrl: string;
  readonly outboundAllow: readonly string[];
  /** Time that a provider has to respond, in milliseconds. */
  readonly answerMs: number;
};

/** Sends through the provider of each channel. */
export type Senders = {
  send(profileId: string, config: ChannelConfig, request: SendRequest, signal: AbortSignal): Promise<Outcome>;
  /** Closes the connections of a configuration that is no longer used. */
  forget(profileId: string): void;
  close(): Promise<void>;
};

/**
 * Creates the senders. Connections are opened when they are first used.
 * @param returnPathOf the return path of a delivery's email at a domain
 */
export function createSenders(
  addresses: ProviderAddresses,
  returnPathOf: (deliveryId: string, domain: string) => string | null,
): Senders {
  const { answerMs } = addresses;
  const email = createSmtpSender({ defaultUrl: addresses.smtpUrl, answerMs, returnPathOf });
  const fcm = createFcmSender({ baseUrl: addresses.fcmBaseUrl, tokenUrl: addresses.fcmTokenUrl, answerMs });
  const apns = createApnsSender({ baseUrl: addresses.apnsBaseUrl, answerMs });
  const line = createLineSender({ baseUrl: addresses.lineBaseUrl, answerMs });
  const webPush = createWebPushSender({ outboundAllow: addresses.outboundAllow, answerMs });
  return {
    send: (profileId, { channel, config }, request, signal) => {
      switch (channel) {
        case "email":
          return email.send(profileId, config, request, signal);
        case "fcm":
          return fcm.send(profileId, config, request, signal);
        case "apns":
          return apns.send(profileId, config, request, signal);
        case "line":
          return line.send(profileId, config, request, signal);
        case "web_push":
          return webPush.send(profileId, config, request, signal);
      }
    },
    forget: (profileId) => {
      for (const sender of [email, fcm, apns, line, webPush]) sender.forget(profileId);
    },
    close: async () => {
      await Promise.all([email, fcm, apns, line, webPush].map((sender) => sender.close()));
    },
  };
}
