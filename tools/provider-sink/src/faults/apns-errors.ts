import type { FaultKind, ProviderAnswer } from "./provider-answer.ts";

/** Creates an error of APNs (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns). */
export function apnsError(status: number, reason: string, more: Record<string, unknown> = {}): ProviderAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify({ reason, ...more }) };
}

export const apnsFaultKinds = {
  bad_device_token: { answer: () => apnsError(400, "BadDeviceToken") },
  device_token_not_for_topic: { answer: () => apnsError(400, "DeviceTokenNotForTopic") },
  bad_topic: { answer: () => apnsError(400, "BadTopic") },
  expired_provider_token: { answer: () => apnsError(403, "ExpiredProviderToken") },
  invalid_provider_token: { answer: () => apnsError(403, "InvalidProviderToken") },
  missing_provider_token: { answer: () => apnsError(403, "MissingProviderToken") },
  // The timestamp, in milliseconds, is the time at which APNs found that the token was no longer valid.
  unregistered: { answer: () => apnsError(410, "Unregistered", { timestamp: Date.now() }) },
  expired_token: { answer: () => apnsError(410, "ExpiredToken", { timestamp: Date.now() }) },
  payload_too_large: { answer: () => apnsError(413, "PayloadTooLarge") },
  too_many_requests: { answer: () => apnsError(429, "TooManyRequests") },
  too_many_provider_token_updates: { answer: () => apnsError(429, "TooManyProviderTokenUpdates") },
  internal_server_error: { answer: () => apnsError(500, "InternalServerError") },
  service_unavailable: { answer: () => apnsError(503, "ServiceUnavailable") },
  shutdown: { answer: () => apnsError(503, "Shutdown") },
} satisfies Record<string, FaultKind>;

export const apnsAnswerForStatus = (status: number): ProviderAnswer => apnsError(status, "InternalServerError");
