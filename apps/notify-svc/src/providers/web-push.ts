import { createOutboundDispatcher } from "@platform/service-kit/outbound/outbound-dispatcher";
import { outboundPolicyOf } from "@platform/service-kit/outbound/outbound-policy";
import { type Dispatcher, request as httpRequest } from "undici";
import webPush from "web-push";
import { readPushSubscription } from "../domain/address.ts";
import type { Outcome } from "../domain/delivery.ts";
import type { WebPushConfig } from "../domain/sender-profile.ts";
import { askingFirst } from "./ask-first.ts";
import { type HttpAnswer, noAnswer, readBody, retryOutcome } from "./http-answer.ts";
import { connectionsMax, type Sender, type SendRequest, verificationData } from "./sender.ts";

/** A VAPID header is valid for 12 hours and used for at most one, so that a push service's clock may be wrong. */
const vapidUseMs = 60 * 60 * 1000;
const vapidHeadersMax = 10_000;

/** Web Push (RFC 8030) with encrypted payload (RFC 8291) and VAPID (RFC 8292), to push services that browsers chose. */
export function createWebPushSender(options: {
  readonly outboundAllow: readonly string[];
  readonly answerMs: number;
}): Sender<WebPushConfig> {
  const { answerMs } = options;
  const dispatchers = new Map<string, Dispatcher>();
  const vapidHeaders = new Map<string, { readonly value: string; readonly madeAtMs: number }>();

  /** A guarded dispatcher for each profile and environment: a connection made for one is not used by another with stricter rules. */
  const dispatcherOf = (profileId: string, environment: string): Dispatcher => {
    const name = `${profileId} ${environment}`;
    const known = dispatchers.get(name);
    if (known !== undefined) return known;
    const policy = outboundPolicyOf(environment, options.outboundAllow);
    const made = createOutboundDispatcher({ ...policy, answerMs, connectionsPerOrigin: connectionsMax.web_push });
    dispatchers.set(name, made);
    return made;
  };

  const vapidHeader = (profileId: string, config: WebPushConfig, audience: string): string => {
    const name = `${profileId} ${audience}`;
    const known = vapidHeaders.get(name);
    if (known !== undefined && Date.now() - known.madeAtMs < vapidUseMs) return known.value;
    const made = webPush.getVapidHeaders(
      audience,
      config.subject,
      config.public_key,
      config.private_key,
      webPush.supportedContentEncodings.AES_128_GCM,
    );
    vapidHeaders.delete(name);
    vapidHeaders.set(name, { value: made.Authorization, madeAtMs: Date.now() });
    const [oldest] = vapidHeaders.keys();
    if (vapidHeaders.size > vapidHeadersMax && oldest !== undefined) vapidHeaders.delete(oldest);
    return made.Authorization;
  };

  return {
    send: async (profileId, config, request, signal) => {
      const subscription = readPushSubscription(request.address);
      if ("problem" in subscription) return { kind: "rejected", errorCode: "web_push_subscription_invalid" };
      try {
        const { headers, body } = webPush.generateRequestDetails(subscription, payloadOf(request), {
          contentEncoding: webPush.supportedContentEncodings.AES_128_GCM,
          TTL: request.ttlSeconds,
          urgency: "normal",
          topic: request.deliveryId.replaceAll("-", ""),
        });
        const response = await httpRequest(subscription.endpoint, {
          method: "POST",
          dispatcher: askingFirst(dispatcherOf(profileId, request.environment), request.mayBegin),
          signal,
          headers: {
            ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
            authorization: vapidHeader(profileId, config, new URL(subscription.endpoint).origin),
          },
          body,
        });
        const text = await readBody(response.body);
        return webPushOutcome({ status: response.statusCode, headers: response.headers, body: text });
      } catch (error) {
        return noAnswer(error);
      }
    },
    forget: (profileId) => {
      for (const [name, dispatcher] of dispatchers) {
        if (!name.startsWith(`${profileId} `)) continue;
        void dispatcher.close();
        dispatchers.delete(name);
      }
    },
    close: async () => {
      await Promise.all([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

function payloadOf({ message, deliveryId }: SendRequest): string {
  if (message.kind === "verification") return JSON.stringify(verificationData(message.token));
  return JSON.stringify({
    title: message.content.subject,
    body: message.content.text,
    delivery_id: deliveryId,
  });
}

/** What a push service's answer means: 404 and 410 say that the subscription is gone (RFC 8030 §7.3). Redirects are not followed. */
export function webPushOutcome(answer: HttpAnswer): Outcome {
  if (answer.status >= 200 && answer.status < 300) return { kind: "accepted" };
  const errorCode = `web_push_${answer.status}`;
  if (answer.status === 404 || answer.status === 410) return { kind: "address_dead", errorCode };
  return retryOutcome(answer, errorCode) ?? { kind: "rejected", errorCode };
}
