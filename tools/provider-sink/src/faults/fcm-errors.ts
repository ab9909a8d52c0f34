import { type FaultKind, jsonAnswer, type ProviderAnswer } from "./provider-answer.ts";

const fcmErrorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
const badRequestType = "type.googleapis.com/google.rpc.BadRequest";
const quotaFailureType = "type.googleapis.com/google.rpc.QuotaFailure";
const errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo";

const canonicalStatuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Creates an error in Google's envelope (https://cloud.google.com/apis/design/errors#http_mapping). */
export function googleError(
  code: number,
  message: string,
  details: unknown[] = [],
  headers: Record<string, string> = {},
): ProviderAnswer {
  const status = canonicalStatuses[code] ?? "UNKNOWN";
  const error = details.length > 0 ? { code, message, status, details } : { code, message, status };
  return jsonAnswer(code, { error }, headers);
}

/** Creates an error of FCM itself (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). */
export function fcmError(
  code: number,
  errorCode: string,
  message: string,
  headers: Record<string, string> = {},
): ProviderAnswer {
  return googleError(code, message, [{ "@type": fcmErrorType, errorCode }], headers);
}

/** Creates the error for a request that does not fit the API. It lists field violations instead of an FcmError. */
export function badRequest(field: string, description: string): ProviderAnswer {
  return googleError(400, description, [{ "@type": badRequestType, fieldViolations: [{ field, description }] }]);
}

export const invalidRegistrationToken = (): ProviderAnswer =>
  fcmError(400, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token");

/** Creates the 401 response of Google's front end. `reason` is that of google.rpc.ErrorInfo. */
export function unauthenticated(
  reason: "CREDENTIALS_MISSING" | "ACCESS_TOKEN_EXPIRED" | "ACCESS_TOKEN_TYPE_UNSUPPORTED",
) {
  const missing = reason === "CREDENTIALS_MISSING";
  const message = `${missing ? "Request is missing required authentication credential." : "Request had invalid authentication credentials."} Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.`;
  const metadata = { service: "fcm.googleapis.com", method: "google.firebase.fcm.v1.FcmService.SendMessage" };
  return googleError(401, message, [{ "@type": errorInfoType, reason, domain: "googleapis.com", metadata }], {
    "www-authenticate": `Bearer realm="https://accounts.google.com/"${missing ? "" : ', error="invalid_token"'}`,
  });
}

export const fcmFaultKinds = {
  unregistered: { answer: () => fcmError(404, "UNREGISTERED", "Requested entity was not found.") },
  invalid_token: { answer: invalidRegistrationToken },
  bad_request: {
    answer: () => badRequest("message.data", "Invalid value at 'message.data[0].value' (TYPE_STRING), 1"),
  },
  unauthenticated: { answer: () => unauthenticated("ACCESS_TOKEN_EXPIRED") },
  third_party_auth_error: {
    answer: () => fcmError(401, "THIRD_PARTY_AUTH_ERROR", "Auth error from APNS or Web Push Service"),
  },
  sender_id_mismatch: { answer: () => fcmError(403, "SENDER_ID_MISMATCH", "SenderId mismatch") },
  quota_exceeded: {
    answer: () =>
      fcmError(
        429,
        "QUOTA_EXCEEDED",
        "Quota exceeded for quota metric 'Messages per minute' and limit 'Messages per minute per project' of service 'fcm.googleapis.com'.",
        { "retry-after": "1" },
      ),
  },
  device_quota_exceeded: {
    answer: () =>
      googleError(429, "Device message rate exceeded.", [
        { "@type": fcmErrorType, errorCode: "QUOTA_EXCEEDED" },
        {
          "@type": quotaFailureType,
          violations: [{ subject: "device:fcm", description: "Device message rate exceeded" }],
        },
      ]),
  },
  internal: { answer: () => fcmError(500, "INTERNAL", "Internal error encountered.") },
  unavailable: {
    answer: () => fcmError(503, "UNAVAILABLE", "The service is currently unavailable.", { "retry-after": "1" }),
  },
  token_invalid_grant: {
    stage: "token",
    answer: () => jsonAnswer(400, { error: "invalid_grant", error_description: "Invalid JWT Signature." }),
  },
  token_unavailable: {
    stage: "token",
    answer: () => jsonAnswer(503, { error: "temporarily_unavailable", error_description: "Backend error" }),
  },
} satisfies Record<string, FaultKind>;

/** Returns Google's body for a status that no named fault has. */
export const fcmAnswerForStatus = (status: number): ProviderAnswer => googleError(status, "The request failed.");
