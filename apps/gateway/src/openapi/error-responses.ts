import { answerableErrors, errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import type { NamedOperation } from "@platform/contracts/operations";
import type { JsonSchema } from "./common-form.ts";
import { type ResponseHeaderName, referHeaders } from "./document-parts.ts";

/** Collects the error responses of a document. Responses that many operations share are written once. */
export type ErrorResponses = {
  /** Returns the error responses of an operation by status, each with its possible codes. */
  refer(operation: NamedOperation): Record<string, JsonSchema>;
  readonly components: Readonly<Record<string, JsonSchema>>;
};

/** A response with more codes than this belongs to one operation and is not shared. */
const sharedCodesMax = 2;

export function collectErrorResponses(): ErrorResponses {
  const components: Record<string, JsonSchema> = {};
  const share = (name: string, response: JsonSchema): JsonSchema => {
    const known = components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(response)) {
      throw new Error(`Two error answers are named ${name}`);
    }
    components[name] = response;
    return { $ref: `#/components/responses/${name}` };
  };
  return {
    components,
    refer(operation) {
      const byStatus = [...Map.groupBy(answerableErrors(operation), (code) => errorStatus(code, operation))];
      return Object.fromEntries(
        byStatus
          .sort(([one], [other]) => one - other)
          .map(([status, codes]) => {
            const response = errorResponse(status, codes, operation);
            const name = `${codes.map(pascalCase).join("Or")}${isPage(operation) ? "Page" : ""}`;
            return [String(status), codes.length > sharedCodesMax ? response : share(name, response)];
          }),
      );
    },
  };
}

const pascalCase = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A shortened error page. It says what happened and what to do, and contains the correlation id. */
const errorPage =
  "<!doctype html><title>This page cannot be shown</title><h1>This page cannot be shown</h1>" +
  "<p>The link is wrong, was used already, or is no longer valid. Go back to the page or email that it came from, and " +
  "request a new one.</p><p>Reference for support: <code>0198a6c4-5e6b-7d3a-9c1e-2f4b8a7d6c50</code></p>";

/** Returns whether an operation is a page in a browser because it returns no JSON. Its errors are pages, too. */
const isPage = (operation: NamedOperation) => operation.response === null;

/**
 * Returns the error response for a status and its codes. It must not depend on anything else of the operation except
 * whether it is a page, because operations share responses by name.
 */
function errorResponse(status: number, codes: readonly ErrorCode[], operation: NamedOperation): JsonSchema {
  const headers: ResponseHeaderName[] = ["CorrelationId"];
  if (status === 401) headers.push("WwwAuthenticate");
  if (status === 429 || status === 503 || codes.includes("idempotency_in_progress")) headers.push("RetryAfter");
  if (status === 429) headers.push("RateLimit", "RateLimitPolicy");
  const envelope = status === 429 ? "QuotaError" : status === 422 ? "UnprocessableError" : "Error";
  const json = {
    schema: { $ref: `#/components/schemas/${envelope}` },
    examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  };
  const page = { schema: { type: "string" }, example: errorPage };
  return {
    description: codes.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`).join("\n"),
    headers: referHeaders(headers),
    content: isPage(operation) ? { "text/html": page } : { "application/json": json },
    "x-error-codes": codes,
  };
}
