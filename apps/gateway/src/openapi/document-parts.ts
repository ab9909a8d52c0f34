import { errorCodes } from "@platform/contracts/errors";
import { correlationIdHeader, idempotencyKeyHeader } from "@platform/contracts/headers";
import { quotaResources } from "@platform/contracts/quotas";
import { violationsMax } from "@platform/contracts/violations";
import { violationCodes } from "@platform/service-kit/errors/violation";
import { type JsonSchema, jsonSchemaOf } from "./component-schemas.ts";

/** The parts of the document that are the same whatever operations there are. */
export const tags = [
  { name: "edge", description: "Health and request validation, answered by the gateway itself." },
  { name: "identity", description: "The Project Client and Identity Migration Transactions." },
  { name: "files", description: "File Objects: uploads, classification, private downloads and public image assets." },
  { name: "notify", description: "Notification Catalog, Delivery Endpoints, consent, Notification Intents." },
  { name: "events", description: "Project Audits, Domain Events and scheduled operations." },
  { name: "ads", description: "Viewable Impressions." },
];

export const securitySchemes = {
  projectCredential: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "pcred_<32 hex id>_<64 hex secret>",
    description: "A Project Credential. It selects the Project Client and carries the scopes named by each operation.",
  },
  platformSession: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "psess_<32 hex id>_<64 hex secret>",
    description: "A Platform Session of a person who signed in at most 10 minutes ago.",
  },
};

const idempotencyKeyParameter = (maxLength: 120 | 255) => ({
  name: "Idempotency-Key",
  in: "header",
  required: true,
  description: `Names this request, so that a repeat of it does nothing twice: 1 to ${maxLength} printable ASCII characters without space.`,
  schema: jsonSchemaOf(idempotencyKeyHeader(maxLength), "input"),
});

export const parameters = {
  CorrelationId: {
    name: "X-Correlation-ID",
    in: "header",
    required: false,
    description: "Taken over into logs and the answer; made by the service when absent.",
    schema: jsonSchemaOf(correlationIdHeader, "input"),
  },
  IdempotencyKey120: idempotencyKeyParameter(120),
  IdempotencyKey255: idempotencyKeyParameter(255),
};

const header = (description: string, schema: JsonSchema, required = false) => ({ description, required, schema });

/** Response headers by the name they are referred to; `name` is the one on the wire. */
export const responseHeaders = {
  CorrelationId: {
    name: "X-Correlation-ID",
    header: header("The correlation id of this request.", { type: "string", format: "uuid" }, true),
  },
  IdempotencyReplayed: {
    name: "Idempotency-Replayed",
    header: header("`true` when this is the outcome of an earlier request.", { type: "string", const: "true" }),
  },
  RateLimit: {
    name: "RateLimit",
    header: header('What is left of api_traffic: `"api_traffic";r=5999;t=42`.', { type: "string" }),
  },
  RateLimitPolicy: {
    name: "RateLimit-Policy",
    header: header('The api_traffic quota: `"api_traffic";q=6000;w=60`.', { type: "string" }),
  },
  RetryAfter: {
    name: "Retry-After",
    header: header("Seconds to wait before the next try.", { type: "integer", minimum: 1 }),
  },
  WwwAuthenticate: {
    name: "WWW-Authenticate",
    header: header("The scheme to authenticate with: `Bearer`.", { type: "string" }),
  },
  Location: { name: "Location", header: header("Where the browser goes on.", { type: "string" }, true) },
} as const;

export type ResponseHeaderName = keyof typeof responseHeaders;

/** References to response headers under their names on the wire. */
export function referHeaders(names: readonly ResponseHeaderName[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    names.map((name) => [responseHeaders[name].name, { $ref: `#/components/headers/${name}` }]),
  );
}

const error = (details: JsonSchema, rest: JsonSchema = {}) => ({
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "retryable", "correlation_id", "details"],
      properties: {
        code: { type: "string", enum: Object.keys(errorCodes) },
        message: { type: "string", description: "For people; may change." },
        retryable: { type: "boolean", description: "May the same request succeed later?" },
        correlation_id: { type: "string", format: "uuid" },
        details,
        ...rest,
      },
    },
  },
});

/** Schemas of error answers. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  Error: error({ type: "object" }),
  UnprocessableError: error({
    type: "object",
    properties: {
      violations: {
        type: "array",
        maxItems: violationsMax,
        description: "With `contract_violation` and `template_variables_mismatch`: every place that is wrong.",
        items: { $ref: "#/components/schemas/Violation" },
      },
    },
  }),
  QuotaError: error(
    {
      type: "object",
      required: ["resource", "used", "limit", "retry_after_seconds"],
      properties: {
        resource: { type: "string", enum: Object.keys(quotaResources) },
        used: { type: "integer", minimum: 0 },
        limit: { type: "integer", minimum: 1 },
        retry_after_seconds: { type: "integer", minimum: 1 },
      },
    },
    { code: { const: "platform_quota_exceeded" }, retryable: { const: true } },
  ),
  Violation: {
    type: "object",
    required: ["path", "code", "message"],
    properties: {
      path: {
        type: "string",
        description: "JSON Pointer into the body, or `path:name` or `header:Name` for a parameter.",
        examples: ["/variables/order_number", "path:transactionId", "header:Idempotency-Key"],
      },
      code: { type: "string", enum: [...violationCodes] },
      message: { type: "string", examples: ["must be at most 120 characters long"] },
    },
  },
};
