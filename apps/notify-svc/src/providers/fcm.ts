import { JWT } from "google-auth-library";
import { request as httpRequest } from "undici";
import type { Outcome } from "../domain/delivery.ts";
import type { FcmConfig } from "../domain/sender-profile.ts";
import { askingFirst } from "./ask-first.ts";
import { type HttpAnswer, jsonObject, noAnswer, readBody, retryOutcome } from "./http-answer.ts";
import { createProfileDispatchers } from "./profile-dispatchers.ts";
import { connectionsMax, type Sender, type SendRequest, verificationData } from "./sender.ts";

const scope = "https://www.googleapis.com/auth/firebase.messaging";

/** FCM HTTP v1 (https://firebase.google.com/docs/cloud-messaging/send/v1-api). */
export function createFcmSender(options: {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly answerMs: number;
}): Sender<FcmConfig> {
  const { answerMs } = options;
  const dispatchers = createProfileDispatchers(connectionsMax.fcm, answerMs);
  const authorities = new Map<string, JWT>();

  const authorityOf = (profileId: string, config: FcmConfig): JWT => {
    const known = authorities.get(profileId);
    if (known !== undefined) return known;
    const authority = new JWT({
      email: config.client_email,
      key: config.private_key,
      scopes: [scope],
      // The library has a fixed token endpoint, so its request is sent to the configured one.
      transporterOptions: {
        timeout: answerMs,
        retryConfig: { retry: 0 },
        fetchImplementation: (_url, init) => fetch(options.tokenUrl, init),
      },
    });
    authorities.set(profileId, authority);
    return authority;
  };

  return {
    send: async (profileId, config, request, signal) => {
      let accessToken: string | null | undefined;
      try {
        accessToken = (await authorityOf(profileId, config).getAccessToken()).token;
      } catch (error) {
        authorities.delete(profileId);
        return tokenOutcome(error);
      }
      try {
        const response = await httpRequest(`${options.baseUrl}/v1/projects/${config.project_id}/messages:send`, {
          method: "POST",
          dispatcher: askingFirst(dispatchers.of(profileId), request.mayBegin),
          signal,
          headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json; charset=UTF-8" },
          body: JSON.stringify({ message: fcmMessage(request) }),
        });
        const answer = { status: response.statusCode, headers: response.headers, body: await readBody(response.body) };
        // A refused token is discarded; the next delivery requests another.
        if (answer.status === 401) authorities.delete(profileId);
        return fcmOutcome(answer);
      } catch (error) {
        return noAnswer(error);
      }
    },
    forget: (profileId) => {
      authorities.delete(profileId);
      dispatchers.forget(profileId);
    },
    close: dispatchers.close,
  };
}

/** FCM has no idempotency key: a repeat replaces the notification it repeats, by Android tag, APNs collapse id and Web Push topic. */
function fcmMessage({ address, message, deliveryId, ttlSeconds }: SendRequest): Record<string, unknown> {
  const topic = deliveryId.replaceAll("-", "");
  const delivery = {
    android: { ttl: `${ttlSeconds}s` },
    apns: { headers: { "apns-collapse-id": deliveryId } },
    webpush: { headers: { Topic: topic, TTL: String(ttlSeconds) } },
  };
  if (message.kind === "verification") return { token: address, data: verificationData(message.token), ...delivery };
  return {
    token: address,
    notification: { title: message.content.subject, body: message.content.text },
    data: { delivery_id: deliveryId },
    ...delivery,
    android: { ...delivery.android, notification: { tag: deliveryId } },
  };
}

type FcmError = {
  readonly status?: string;
  readonly message?: string;
  readonly details?: readonly Record<string, unknown>[];
};

/**
 * What FCM's answer means (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). An address is dead when FCM says
 * UNREGISTERED, or that the token itself is no token; an INVALID_ARGUMENT about anything else is our message's fault.
 */
export function fcmOutcome(answer: HttpAnswer): Outcome {
  if (answer.status === 200) return { kind: "accepted" };
  const error = (jsonObject(answer.body).error ?? {}) as FcmError;
  const details = Array.isArray(error.details) ? error.details : [];
  const detail = details.find((each) => String(each["@type"]).endsWith("google.firebase.fcm.v1.FcmError"));
  const fcmCode = typeof detail?.errorCode === "string" ? detail.errorCode : null;
  const errorCode = `fcm_${(fcmCode ?? error.status ?? String(answer.status)).toLowerCase()}`;
  const retry = retryOutcome(answer, errorCode);
  if (retry !== null) return retry;
  const isUnregistered = answer.status === 404 && fcmCode === "UNREGISTERED";
  const isNoToken = answer.status === 400 && fcmCode === "INVALID_ARGUMENT" && isAboutToken(error, details);
  if (isUnregistered || isNoToken) return { kind: "address_dead", errorCode };
  return { kind: "rejected", errorCode };
}

function isAboutToken(error: FcmError, details: readonly Record<string, unknown>[]): boolean {
  const badRequest = details.find((each) => String(each["@type"]).endsWith("google.rpc.BadRequest"));
  if (badRequest === undefined) return /registration token/i.test(error.message ?? "");
  const violations = Array.isArray(badRequest.fieldViolations) ? (badRequest.fieldViolations as unknown[]) : [];
  return (
    violations.length > 0 && violations.every((each) => (each as { field?: unknown } | null)?.field === "message.token")
  );
}

/** Meaning of a failure to get an access token: 4xx is a fault of the service account's key, everything else is temporary. */
function tokenOutcome(error: unknown): Outcome {
  const response = (error as { response?: { status?: unknown; headers?: unknown } }).response;
  const status = typeof response?.status === "number" ? response.status : null;
  if (status === null) return noAnswer(error);
  const headers = response?.headers instanceof Headers ? Object.fromEntries(response.headers) : {};
  const retry = retryOutcome({ status, headers, body: "" }, "fcm_token_unavailable");
  return retry ?? { kind: "rejected", errorCode: "fcm_token_refused" };
}
