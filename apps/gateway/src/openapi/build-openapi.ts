import { exampleResponses } from "@platform/contracts/example-responses";
import { exampleRequests } from "@platform/contracts/examples";
import type { NamedOperation } from "@platform/contracts/operations";
import { contractRelease } from "@platform/contracts/operations/edge";
import { defined } from "@platform/kit/process/fields";
import { describeWebhooks, webhookAnswers } from "./build-webhooks.ts";
import type { JsonSchema } from "./common-form.ts";
import { type ComponentSchemas, collectComponentSchemas } from "./component-schemas.ts";
import {
  headerParameters,
  type ResponseHeaderName,
  referHeaders,
  responseHeaders,
  securitySchemes,
  tags,
} from "./document-parts.ts";
import { collectErrorResponses, type ErrorResponses } from "./error-responses.ts";
import { errorExamples, errorSchemas } from "./error-schemas.ts";

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = {
  readonly openapi: "3.1.1";
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly [part: string]: unknown;
};

/**
 * Builds the OpenAPI 3.1 description of `operations`. The function is pure: the same operations always result in the
 * same document, byte for byte.
 */
export function buildOpenApi(operations: readonly NamedOperation[]): OpenApiDocument {
  const schemas = collectComponentSchemas();
  const errors = collectErrorResponses();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const parameters = headerParameters(schemas);
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(operation, schemas, errors),
    };
  }
  const webhooks = describeWebhooks(schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Project Integration Service",
      version: contractRelease,
      summary: "Identity migration, files, notifications, events, schedules and ads for project backends.",
      description:
        "Success bodies are wrapped in `data`; every error body is the error envelope. String lengths count Unicode code points. See each operation for the codes it can answer.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/api/v1" }],
    tags,
    paths,
    webhooks,
    components: {
      schemas: { ...errorSchemas, ...schemas.components },
      responses: { ...errors.components, ...webhookAnswers },
      examples: errorExamples,
      parameters,
      headers: Object.fromEntries(Object.entries(responseHeaders).map(([name, { header }]) => [name, header])),
      securitySchemes,
    },
  };
}

/** Converts `files.createUploadGrant` to `CreateUploadGrant`. */
function typeName(operation: NamedOperation): string {
  const name = operation.id.slice(operation.id.indexOf(".") + 1);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function describeOperation(operation: NamedOperation, schemas: ComponentSchemas, errors: ErrorResponses): JsonSchema {
  const { id, summary, description, auth } = operation;
  return {
    operationId: id,
    tags: [id.slice(0, id.indexOf("."))],
    summary,
    ...defined({ description }),
    security:
      auth.scheme === "none" ? [] : [{ [auth.scheme]: auth.scheme === "projectCredential" ? [auth.scope] : [] }],
    parameters: [...pathParameters(operation, schemas), ...referHeaderParameters(operation)],
    ...requestBody(operation, schemas),
    responses: { [operation.status]: success(operation, schemas), ...errors.refer(operation) },
  };
}

function pathParameters({ id, params }: NamedOperation, schemas: ComponentSchemas): JsonSchema[] {
  if (params === null) return [];
  const { properties } = schemas.inline(params, "input") as { properties: Record<string, JsonSchema> };
  const example: Readonly<Record<string, string>> = exampleRequests[id].params ?? {};
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema,
    example: example[name],
  }));
}

function referHeaderParameters({ correlationIdDeclared, idempotency }: NamedOperation): JsonSchema[] {
  const names: string[] = [];
  if (correlationIdDeclared) names.push("CorrelationId");
  if (idempotency !== null) names.push(idempotency.maxLength === 120 ? "IdempotencyKey" : "LongIdempotencyKey");
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function requestBody(operation: NamedOperation, schemas: ComponentSchemas): JsonSchema {
  const { id, body, rawBody } = operation;
  if (body === null && rawBody === undefined) return {};
  const media =
    body === null
      ? { schema: { type: "string", format: "binary" } }
      : {
          schema: schemas.refer(body, `${typeName(operation)}Request`, "input"),
          example: exampleRequests[id].body,
        };
  const content = Object.fromEntries((rawBody ?? ["application/json"]).map((type) => [type, media]));
  return { requestBody: { required: true, content } };
}

function success(operation: NamedOperation, schemas: ComponentSchemas): JsonSchema {
  const headers: ResponseHeaderName[] = ["CorrelationId"];
  if (operation.auth.scheme === "projectCredential") headers.push("RateLimit", "RateLimitPolicy");
  if (operation.idempotency?.replay === "outcome") headers.push("IdempotencyReplayed");
  if (operation.status === 303) headers.push("Location");
  const response = { description: "Success", headers: referHeaders(headers) };
  if (operation.response === null) return response;
  const json = {
    schema: schemas.refer(operation.response, `${typeName(operation)}Response`, "output"),
    example: exampleResponses[operation.id],
  };
  return { ...response, content: { "application/json": json } };
}
