import { defined } from "@platform/kit/process/fields";
import { JWT } from "google-auth-library";
import { request as httpRequest } from "undici";
import type { Outcome } from "../domain/delivery.ts";
import { fcmContent, fcmPlatforms, webPushTopic } from "../domain/push-payloads.ts";
import type { FcmConfig } from "../domain/sender-profile.ts";
import { askingFirst } from "./ask-first.ts";
import { type HttpAnswer, jsonObject, noAnswer, readBody, retryOutcome, staleTokenOutcome } from "./http-answer.ts";
import { createProfileDispatchers } from "./profile-dispatchers.ts";
import { connectionsMax, type Sender, type SendRequest, verificationData } from "./sender.ts";
import { createTokenCache } from "./token-cache.ts";

const scope = "https://www.googleapis.com/auth/firebase.messaging";
/**
 * How long the library's cache of access tokens is used, in milliseconds. Google's access tokens are valid for an
 * hour, and the library renews them by this host's clock. The whole cache is therefore discarded after a day, and if
 * the clock was set back.
 */
const authorityUseMs = 24 * 60 * 60 * 1000;
const authorityRenewMs = 60 * 1000;
const authoritiesMax = 10_000;

/** Sends through FCM HTTP v1 (https://firebase.google.com/docs/cloud-messaging/send/v1-api). */
export function createFcmSender(options: {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  readonly answerMs: number;
}): Sender<FcmConfig> {
  const { answerMs } = options;
  const dispatchers = createProfileDispatchers(connectionsMax.fcm, answerMs);
  const authorities = createTokenCache<JWT>({
    useMs: authorityUseMs,
    renewMs: authorityRenewMs,
    max: authoritiesMax,
    clock: () => new Date(),
  });
  /** Creates the client that fetches access tokens and keeps each until shortly before it expires. */
  const created = (config: FcmConfig) => (): JWT =>
    new JWT({
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

  return {
    send: async (profileId, config, request, signal) => {
      const attempt = async (authority: JWT): Promise<{ outcome: Outcome; isStale: boolean }> => {
        let accessToken: string | null | undefined;
        try {
          accessToken = (await authority.getAccessToken()).token;
        } catch (error) {
          authorities.forget(`${profileId} `);
          return { outcome: tokenOutcome(error), isStale: false };
        }
        const response = await httpRequest(`${options.baseUrl}/v1/projects/${config.project_id}/messages:send`, {
          method: "POST",
          dispatcher: askingFirst(dispatchers.of(profileId), request.mayBegin),
          signal,
          headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json; charset=UTF-8" },
          body: JSON.stringify({ message: fcmMessage(request) }),
        });
        const answer = { status: response.statusCode, headers: response.headers, body: await readBody(response.body) };
        return { outcome: fcmOutcome(answer), isStale: isStaleToken(answer) };
      };
      try {
        const authority = authorities.get(`${profileId} `, created(config));
        const first = await attempt(authority);
        const renewed = first.isStale ? authorities.renew(`${profileId} `, authority, created(config)) : null;
        const { outcome, isStale } = renewed === null ? first : await attempt(renewed);
        return isStale && outcome.kind === "rejected"
          ? staleTokenOutcome(outcome.errorCode, authorities.renewableInMs(`${profileId} `))
          : outcome;
      } catch (error) {
        return noAnswer(error);
      }
    },
    forget: (profileId) => {
      authorities.forget(`${profileId} `);
      dispatchers.forget(profileId);
    },
    close: dispatchers.close,
  };
}

/**
 * FCM has no idempotency key. Therefore a repeated push replaces the notification that it repeats, by Android tag,
 * APNs collapse id and Web Push topic. If the template has a collapse key, it is used instead of them and also
 * replaces earlier messages.
 */
function fcmMessage({ address, message, deliveryId, ttlSeconds }: SendRequest): Record<string, unknown> {
  const push = message.kind === "verification" ? null : message.content.push;
  const topic =
    message.kind === "verification" ? deliveryId.replaceAll("-", "") : webPushTopic(message.content, deliveryId);
  const { priority = null, collapseKey = null } = push ?? {};
  const android = {
    ttl: `${ttlSeconds}s`,
    ...(priority === null ? {} : { priority: priority.toUpperCase() }),
    ...defined({ collapse_key: collapseKey }),
  };
  const apnsHeaders = {
    "apns-collapse-id": collapseKey ?? deliveryId,
    ...(priority === null ? {} : { "apns-priority": priority === "high" ? "10" : "5" }),
    // Without this header, APNs would keep the message for its own default time.
    ...(push?.ttlSeconds == null ? {} : { "apns-expiration": String(Math.floor(Date.now() / 1000) + ttlSeconds) }),
  };
  const webpushHeaders = {
    Topic: topic,
    TTL: String(ttlSeconds),
    ...defined({ Urgency: priority }),
  };
  if (message.kind === "verification") {
    const data = verificationData(message.token);
    return { token: address, data, android, apns: { headers: apnsHeaders }, webpush: { headers: webpushHeaders } };
  }
  const platforms = fcmPlatforms(message.content, deliveryId);
  return {
    token: address,
    ...fcmContent(message.content, deliveryId),
    android: { ...android, ...platforms.android },
    apns: { headers: apnsHeaders, ...platforms.apns },
    webpush: { headers: webpushHeaders, ...platforms.webpush },
  };
}

type FcmError = {
  readonly status?: string;
  readonly message?: string;
  readonly details?: readonly Record<string, unknown>[];
};

/**
 * Interprets a response of FCM (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). An address is dead
 * if FCM returns UNREGISTERED, or reports that the token is not valid. An INVALID_ARGUMENT about anything else means
 * that our message is wrong.
 */
export function fcmOutcome(answer: HttpAnswer): Outcome {
  if (answer.status === 200) return { kind: "accepted" };
  const error = (jsonObject(answer.body).error ?? {}) as FcmError;
  const details = Array.isArray(error.details) ? error.details : [];
  const detail = details.find((each) => String(each["@type"]).endsWith("google.firebase.fcm.v1.FcmError"));
  const fcmCode = typeof detail?.errorCode === "string" ? detail.errorCode : null;
  const errorCode = `fcm_${(fcmCode ?? error.status ?? String(answer.status)).toLowerCase()}`;
  const retry = retryOutcome(answer, errorCode, isProjectQuota(error, details) ? "provider" : "recipient");
  if (retry !== null) return retry;
  const isUnregistered = answer.status === 404 && fcmCode === "UNREGISTERED";
  const isNoToken = answer.status === 400 && fcmCode === "INVALID_ARGUMENT" && isAboutToken(error, details);
  if (isUnregistered || isNoToken) return { kind: "address_dead", errorCode };
  return { kind: "rejected", errorCode };
}

/**
 * Returns whether a 429 is about the project's quota. FCM also limits the messages to one device, and names the
 * exceeded quota in a QuotaFailure. Google's front end names the project as the consumer in an ErrorInfo or in the
 * message.
 */
function isProjectQuota(error: FcmError, details: readonly Record<string, unknown>[]): boolean {
  const failures = details.filter((each) => String(each["@type"]).endsWith("google.rpc.QuotaFailure"));
  const violations = failures.flatMap(({ violations: listed }) => (Array.isArray(listed) ? (listed as unknown[]) : []));
  const said = violations.map((each) => {
    const { subject, description } = (each ?? {}) as { subject?: unknown; description?: unknown };
    return `${String(subject ?? "")} ${String(description ?? "")}`;
  });
  if (said.length > 0) return said.some((text) => /\bprojects?\b|project_number|\bper project\b/i.test(text));
  const consumers = details.map(({ metadata }) => (metadata as { consumer?: unknown } | undefined)?.consumer);
  if (consumers.some((consumer) => /^projects?[/_:]/.test(String(consumer)))) return true;
  return /per project|quota metric|project_number/i.test(error.message ?? "");
}

/**
 * Returns whether Google rejected the access token. It was rejected before the message was processed, so the message
 * can be sent with another token. A 401 of APNs or of a web push service behind FCM is a different error.
 */
function isStaleToken({ status, body }: HttpAnswer): boolean {
  if (status !== 401) return false;
  const { details } = (jsonObject(body).error ?? {}) as FcmError;
  return !(Array.isArray(details) && details.some(({ errorCode }) => errorCode === "THIRD_PARTY_AUTH_ERROR"));
}

function isAboutToken(error: FcmError, details: readonly Record<string, unknown>[]): boolean {
  const badRequest = details.find((each) => String(each["@type"]).endsWith("google.rpc.BadRequest"));
  if (badRequest === undefined) return /registration token/i.test(error.message ?? "");
  const violations = Array.isArray(badRequest.fieldViolations) ? (badRequest.fieldViolations as unknown[]) : [];
  return (
    violations.length > 0 && violations.every((each) => (each as { field?: unknown } | null)?.field === "message.token")
  );
}

/**
 * Interprets a failure to get an access token. A 4xx means that the service account's key is wrong. Everything else
 * is temporary, including a wrong clock on this host.
 */
function tokenOutcome(error: unknown): Outcome {
  const { response } = error as { response?: { status?: unknown; headers?: unknown; data?: unknown } };
  const status = typeof response?.status === "number" ? response.status : null;
  if (status === null) return noAnswer(error);
  const headers = response?.headers instanceof Headers ? Object.fromEntries(response.headers) : {};
  const { error_description: description } = (response?.data ?? {}) as { error_description?: unknown };
  const isClockWrong = /reasonable timeframe/i.test(String(description));
  const answer = { status: isClockWrong ? 503 : status, headers, body: "" };
  const retry = retryOutcome(answer, isClockWrong ? "fcm_token_clock_wrong" : "fcm_token_unavailable", "provider");
  return retry ?? { kind: "rejected", errorCode: "fcm_token_refused" };
}
