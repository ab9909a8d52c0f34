import { type FaultKind, jsonAnswer, type ProviderAnswer } from "./provider-answer.ts";

export type LineErrorDetail = { message: string; property: string };

/** Creates LINE's error body (https://developers.line.biz/en/reference/messaging-api/#error-responses). */
export function lineError(status: number, message: string, details?: LineErrorDetail[]): ProviderAnswer {
  return jsonAnswer(status, details ? { message, details } : { message });
}

export const lineUnauthorized = (): ProviderAnswer => ({
  ...lineError(401, "Authentication failed. Confirm that the access token in the authorization header is valid."),
  headers: {
    "content-type": "application/json; charset=UTF-8",
    "www-authenticate": 'Bearer error="invalid_token", error_description="invalid token"',
  },
});

export const invalidLineRecipient = (): ProviderAnswer =>
  lineError(400, "The property, 'to', in the request body is invalid (line: -, column: -)");

export const lineFaultKinds = {
  bad_request: {
    answer: () =>
      lineError(400, "The request body has 1 error(s)", [
        { message: "May not be empty", property: "messages[0].text" },
      ]),
  },
  invalid_recipient: { answer: invalidLineRecipient },
  unauthorized: { answer: lineUnauthorized },
  forbidden: {
    answer: () => lineError(403, "Access to this API is not available for your account"),
  },
  retry_key_accepted: { answer: () => lineError(409, "The retry key is already accepted") },
  too_many_requests: { answer: () => lineError(429, "The API rate limit has been exceeded. Try again later.") },
  monthly_limit: { answer: () => lineError(429, "You have reached your monthly limit.") },
  internal: { answer: () => lineError(500, "The server is temporarily unavailable. Try again later.") },
} satisfies Record<string, FaultKind>;

export const lineAnswerForStatus = (status: number): ProviderAnswer => lineError(status, "The request failed.");
