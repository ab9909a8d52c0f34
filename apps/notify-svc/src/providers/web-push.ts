import { createOutboundDispatcher, outboundPolicyOf } from "@platform/kit/web/outbound";
import { type Dispatcher, request as httpRequest } from "undici";
import webPush, { type RequestOptions } from "web-push";
import { readPushSubscription } from "../domain/address.ts";
import type { Outcome } from "../domain/delivery.ts";
import { webPushPayload, webPushTopic } from "../domain/push-payloads.ts";
import type { WebPushConfig } from "../domain/sender-profile.ts";
import { askingFirst } from "./ask-first.ts";
import { type HttpAnswer, noAnswer, readBody, retryOutcome } from "./http-answer.ts";
import { connectionsMax, type Sender, type SendRequest, verificationData } from "./sender.ts";
import { createTokenCache } from "./token-cache.ts";

/**
 * How long a VAPID header is used, in milliseconds. It is valid for 12 hours and used for only one, so that the push
 * service's clock may be wrong.
 */
const vapidUseMs = 60 * 60 * 1000;
const vapidRenewMs = 60 * 1000;
const vapidHeadersMax = 10_000;

/**
 * Sends Web Push (RFC 8030) with encrypted payload (RFC 8291) and VAPID (RFC 8292) to the push services that browsers
 * chose.
 */
export function createWebPushSender(options: {
  readonly outboundAllow: readonly string[];
  readonly answerMs: number;
}): Sender<WebPushConfig> {
  const { answerMs } = options;
  const dispatchers = new Map<string, Dispatcher>();
  // Headers are cached as objects, so that two of them are distinguished even if they were signed within one second.
  const vapidHeaders = createTokenCache<{ readonly value: string }>({
    useMs: vapidUseMs,
    renewMs: vapidRenewMs,
    max: vapidHeadersMax,
    clock: () => new Date(),
  });

  /**
   * Returns the guarded dispatcher of a profile and environment. Environments do not share one, so that a connection
   * is never used by an environment with stricter rules.
   */
  const dispatcherOf = (profileId: string, environment: string): Dispatcher => {
    const name = `${profileId} ${environment}`;
    const known = dispatchers.get(name);
    if (known !== undefined) return known;
    const policy = outboundPolicyOf(environment, options.outboundAllow);
    const made = createOutboundDispatcher({ ...policy, answerMs, connectionsPerOrigin: connectionsMax.web_push });
    dispatchers.set(name, made);
    return made;
  };

  const signed = (config: WebPushConfig, audience: string) => () => {
    const { Authorization: value } = webPush.getVapidHeaders(
      audience,
      config.subject,
      config.public_key,
      config.private_key,
      webPush.supportedContentEncodings.AES_128_GCM,
    );
    return { value };
  };

  return {
    send: async (profileId, config, request, signal) => {
      const subscription = readPushSubscription(request.address);
      if ("problem" in subscription) return { kind: "rejected", errorCode: "web_push_subscription_invalid" };
      try {
        const { headers, body } = webPush.generateRequestDetails(subscription, payloadOf(request), {
          contentEncoding: webPush.supportedContentEncodings.AES_128_GCM,
          TTL: request.ttlSeconds,
          ...urgencyAndTopic(request),
        });
        const attempt = async (authorization: string): Promise<HttpAnswer> => {
          const response = await httpRequest(subscription.endpoint, {
            method: "POST",
            dispatcher: askingFirst(dispatcherOf(profileId, request.environment), request.mayBegin),
            signal,
            headers: {
              ...Object.fromEntries(
                Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
              ),
              authorization,
            },
            body,
          });
          return { status: response.statusCode, headers: response.headers, body: await readBody(response.body) };
        };
        const audience = new URL(subscription.endpoint).origin;
        const name = `${profileId} ${audience}`;
        const vapid = vapidHeaders.get(name, signed(config, audience));
        const answer = await attempt(vapid.value);
        // RFC 8292 §4.2: 401 and 403 reject the credentials. The push service has not processed the message, so it can
        // be sent with other credentials.
        const isRefused = answer.status === 401 || answer.status === 403;
        const renewed = isRefused ? vapidHeaders.renew(name, vapid, signed(config, audience)) : null;
        return webPushOutcome(renewed === null ? answer : await attempt(renewed.value));
      } catch (error) {
        return noAnswer(error);
      }
    },
    forget: (profileId) => {
      vapidHeaders.forget(`${profileId} `);
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

function urgencyAndTopic({ message, deliveryId }: SendRequest): Pick<RequestOptions, "urgency" | "topic"> {
  if (message.kind === "verification") return { urgency: "normal", topic: deliveryId.replaceAll("-", "") };
  const { content } = message;
  return { urgency: content.push?.priority ?? "normal", topic: webPushTopic(content, deliveryId) };
}

function payloadOf({ message, deliveryId }: SendRequest): string {
  const isVerification = message.kind === "verification";
  return JSON.stringify(isVerification ? verificationData(message.token) : webPushPayload(message.content, deliveryId));
}

/** Interprets the response of a push service: 404 and 410 mean that the subscription no longer exists (RFC 8030 §7.3). Redirects are not followed. */
export function webPushOutcome(answer: HttpAnswer): Outcome {
  if (answer.status >= 200 && answer.status < 300) return { kind: "accepted" };
  const errorCode = `web_push_${answer.status}`;
  if (answer.status === 404 || answer.status === 410) return { kind: "address_dead", errorCode };
  // RFC 8030 does not define whom a 429 concerns. The push services of browsers count per subscription.
  return retryOutcome(answer, errorCode, "recipient") ?? { kind: "rejected", errorCode };
}
