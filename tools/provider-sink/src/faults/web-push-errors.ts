import { type FaultKind, jsonAnswer, type ProviderAnswer } from "./provider-answer.ts";

const moreInfo = "http://autopush.readthedocs.io/en/latest/http.html#error-codes";
const names: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  410: "Gone",
  413: "Payload Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Creates an error body in the format of Mozilla's push service, because only its format is published (errno as in its documentation). */
export function pushServiceError(
  code: number,
  errno: number,
  message: string,
  headers: Record<string, string> = {},
): ProviderAnswer {
  return jsonAnswer(code, { code, errno, error: names[code] ?? "Error", message, more_info: moreInfo }, headers);
}

export const webPushFaultKinds = {
  unauthorized: {
    answer: () =>
      pushServiceError(401, 109, "Request did not validate missing authorization header", {
        "www-authenticate": "vapid",
      }),
  },
  forbidden: { answer: () => pushServiceError(403, 109, "Invalid VAPID credentials") },
  not_found: { answer: () => pushServiceError(404, 102, "Request did not validate invalid token") },
  gone: { answer: () => pushServiceError(410, 106, "Request did not validate uaid_deleted") },
  payload_too_large: {
    answer: () =>
      pushServiceError(413, 104, "This message is intended for a constrained device and is limited in size"),
  },
  too_many_requests: {
    answer: () => pushServiceError(429, 201, "Too many requests, please slow down", { "retry-after": "1" }),
  },
  internal: { answer: () => pushServiceError(500, 999, "An unknown error occurred") },
  unavailable: {
    answer: () =>
      pushServiceError(503, 202, "The server is currently unable to handle the request", { "retry-after": "1" }),
  },
} satisfies Record<string, FaultKind>;

export const webPushAnswerForStatus = (status: number): ProviderAnswer =>
  pushServiceError(status, 999, "The request failed");
