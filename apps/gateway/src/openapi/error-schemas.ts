import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import { quotaResources } from "@platform/contracts/quotas";
import { violationsMax } from "@platform/contracts/violations";
import { violationCodes } from "@platform/kit/rpc/errors";
import type { JsonSchema } from "./common-form.ts";

const envelope = (body: string, description: string): JsonSchema => ({
  type: "object",
  description,
  required: ["error"],
  properties: { error: { $ref: `#/components/schemas/${body}` } },
});

const errorBody = (details: JsonSchema, description: string): JsonSchema => ({
  type: "object",
  description,
  required: ["code", "message", "retryable", "correlation_id", "details"],
  properties: {
    code: { $ref: "#/components/schemas/ErrorCode" },
    message: { type: "string", description: "Text for people. It may change." },
    retryable: { type: "boolean", description: "True if the same request may succeed later." },
    correlation_id: {
      type: "string",
      format: "uuid",
      description: "The same as the header X-Correlation-ID. Quote it when you report a problem.",
    },
    details,
  },
});

/** Schemas of error responses. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  ErrorCode: {
    type: "string",
    enum: Object.keys(errorCodes),
    description: "Reason why the request failed. Use it for decisions in your code.",
  },
  Error: envelope("ErrorBody", "An error answer."),
  ErrorBody: errorBody(
    {
      type: "object",
      additionalProperties: true,
      description: "Further information about the error. The fields depend on the code.",
    },
    "What failed.",
  ),
  UnprocessableError: envelope("UnprocessableErrorBody", "The answer to a request that cannot be processed as it is."),
  UnprocessableErrorBody: errorBody({ $ref: "#/components/schemas/UnprocessableErrorDetails" }, "What failed."),
  UnprocessableErrorDetails: {
    type: "object",
    description: "Further information about the error. The fields depend on the code.",
    additionalProperties: true,
    properties: {
      violations: {
        type: "array",
        maxItems: violationsMax,
        description: "With `contract_violation` and `template_variables_mismatch`: all violations.",
        items: { $ref: "#/components/schemas/Violation" },
      },
      reason: {
        type: "string",
        description: "With `scheduled_url_not_allowed`: the reason why the url is not allowed.",
      },
    },
  },
  QuotaError: envelope("QuotaErrorBody", "The answer to a request beyond a hard quota."),
  QuotaErrorBody: errorBody({ $ref: "#/components/schemas/QuotaErrorDetails" }, "Which quota is reached."),
  QuotaErrorDetails: {
    type: "object",
    description: "The quota, and the time after which to try again.",
    required: ["resource", "used", "limit", "retry_after_seconds"],
    properties: {
      resource: { $ref: "#/components/schemas/QuotaResource" },
      used: { type: "integer", format: "int64", minimum: 0, description: "Units used in the current window." },
      limit: { type: "integer", format: "int64", minimum: 1, description: "Units available per window." },
      retry_after_seconds: { type: "integer", minimum: 1, description: "Seconds until the next attempt can succeed." },
    },
  },
  QuotaResource: {
    type: "string",
    enum: Object.keys(quotaResources),
    description: "Resource that a hard quota limits.",
  },
  Violation: {
    type: "object",
    description: "One violation of the contract.",
    required: ["path", "code", "message"],
    properties: {
      path: {
        type: "string",
        description: "JSON Pointer into the body, or `path:name` or `header:Name` for a parameter.",
        examples: ["/variables/order_number", "path:transactionId", "header:Idempotency-Key"],
      },
      code: { $ref: "#/components/schemas/ViolationCode" },
      message: { type: "string", description: "Text for people.", examples: ["must be at most 120 characters long"] },
    },
  },
  ViolationCode: { type: "string", enum: [...violationCodes], description: "The kind of violation." },
};

/** Example details of the errors that have details. */
const exampleDetails: { readonly [Code in ErrorCode]?: JsonSchema } = {
  contract_violation: { violations: [{ path: "/email", code: "required", message: "is required" }] },
  template_variables_mismatch: {
    violations: [{ path: "/variables/order_number", code: "required", message: "is required" }],
  },
  insufficient_scope: { required_scope: "events:write" },
  scheduled_url_not_allowed: { reason: "address_not_allowed" },
  platform_quota_exceeded: { resource: "events", used: 10_000, limit: 10_000, retry_after_seconds: 42 },
};

/** One example response for each error code. */
export const errorExamples: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  (Object.keys(errorCodes) as ErrorCode[]).map((code) => {
    const { meaning, retryable, remedy } = errorCodes[code];
    const error = {
      code,
      message: meaning,
      retryable,
      correlation_id: "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
      details: exampleDetails[code] ?? {},
    };
    return [code, { summary: meaning, description: remedy, value: { error } }];
  }),
);
