import { correlationIdHeader, idempotencyKeyHeader } from "@platform/contracts/headers";
import type { JsonSchema } from "./common-form.ts";
import type { ComponentSchemas } from "./component-schemas.ts";

/** The parts of the document that do not depend on the operations. */
export const tags = [
  { name: "edge", description: "Health and request validation. The gateway handles these requests itself." },
  { name: "identity", description: "The Project Client and Identity Migration Transactions." },
  { name: "files", description: "File Objects: uploads, classification, private downloads and public image assets." },
  { name: "notify", description: "The Notification Catalog, Delivery Endpoints, consent and Notification Intents." },
  { name: "events", description: "Project Audits, Domain Events and scheduled operations." },
  { name: "ads", description: "Viewable Impressions." },
  { name: "webhooks", description: "Calls from the platform to endpoints that projects register." },
];

export const securitySchemes = {
  projectCredential: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "pcred_<32 hex id>_<64 hex secret>",
    description:
      "A Project Credential. It identifies the Project Client and must have the scope that the operation requires.",
  },
  platformSession: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "psess_<32 hex id>_<64 hex secret>",
    description: "A Platform Session of a person who signed in at most 10 minutes ago.",
  },
};

/** Returns the headers that many operations accept, by the names of their references. */
export function headerParameters(schemas: ComponentSchemas): Record<string, JsonSchema> {
  const idempotencyKey = (maxLength: 120 | 255) => ({
    name: "Idempotency-Key",
    in: "header",
    required: true,
    description: `Identifies this request, so that repeating it has no further effect: 1 to ${maxLength} printable ASCII characters without spaces.`,
    schema: schemas.inline(idempotencyKeyHeader(maxLength), "input"),
    example: "order-A-1042-shipped",
  });
  return {
    CorrelationId: {
      name: "X-Correlation-ID",
      in: "header",
      required: false,
      description: "Appears in the logs and in the response. The service generates one if you send none.",
      schema: schemas.inline(correlationIdHeader, "input"),
      example: "01890a5d-ac9d-7136-8f9e-5d7a1b3c8f86",
    },
    IdempotencyKey: idempotencyKey(120),
    LongIdempotencyKey: idempotencyKey(255),
  };
}

const header = (description: string, schema: JsonSchema, required = false) => ({ description, required, schema });

/** Response headers by the name of their reference. `name` is the name of the header itself. */
export const responseHeaders = {
  CorrelationId: {
    name: "X-Correlation-ID",
    header: header("The correlation id of this request.", { type: "string", format: "uuid" }, true),
  },
  IdempotencyReplayed: {
    name: "Idempotency-Replayed",
    header: header("`true` when this is the outcome of an earlier request.", { type: "string", enum: ["true"] }),
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

/** Returns references to response headers, by the name of the header. */
export function referHeaders(names: readonly ResponseHeaderName[]): Record<string, JsonSchema> {
  return Object.fromEntries(
    names.map((name) => [responseHeaders[name].name, { $ref: `#/components/headers/${name}` }]),
  );
}
