import { answerableErrors, errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import type { NamedOperation } from "@platform/contracts/operations";
import type { JsonSchema } from "./component-schemas.ts";
import { type ResponseHeaderName, referHeaders } from "./document-parts.ts";

/** Collects the error answers of a document: those that many operations share are written once. */
export type ErrorResponses = {
  /** The error answers of an operation, by status, each naming the codes it can carry. */
  refer(operation: NamedOperation): Record<string, JsonSchema>;
  readonly components: Readonly<Record<string, JsonSchema>>;
};

/** Answers with more codes than this are an operation's own and stay with it. */
const sharedCodesMax = 2;

export function collectErrorResponses(): ErrorResponses {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    refer(operation) {
      const byStatus = [...Map.groupBy(answerableErrors(operation), (code) => errorStatus(code, operation))];
      return Object.fromEntries(
        byStatus
          .sort(([one], [other]) => one - other)
          .map(([status, codes]) => {
            const response = errorResponse(status, codes, operation);
            if (codes.length > sharedCodesMax) return [String(status), response];
            const name = `${codes.map(pascalCase).join("Or")}${status}${isPage(operation) ? "Page" : ""}`;
            components[name] = response;
            return [String(status), { $ref: `#/components/responses/${name}` }];
          }),
      );
    },
  };
}

const pascalCase = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** What answers no JSON on success is a page in a browser, and so are its errors. */
const isPage = (operation: NamedOperation) => operation.response === null;

/** Depends on nothing but status, codes and whether it is a page, or sharing it by name would be wrong. */
function errorResponse(status: number, codes: readonly ErrorCode[], operation: NamedOperation): JsonSchema {
  const headers: ResponseHeaderName[] = ["CorrelationId"];
  if (status === 401) headers.push("WwwAuthenticate");
  if (status === 429 || status === 503 || codes.includes("idempotency_in_progress")) headers.push("RetryAfter");
  if (status === 429) headers.push("RateLimit", "RateLimitPolicy");
  const envelope = status === 429 ? "QuotaError" : status === 422 ? "UnprocessableError" : "Error";
  const json = {
    schema: {
      allOf: [
        { $ref: `#/components/schemas/${envelope}` },
        { properties: { error: { properties: { code: { enum: codes } } } } },
      ],
    },
  };
  return {
    description: codes.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`).join("\n"),
    headers: referHeaders(headers),
    content: isPage(operation) ? { "text/html": {} } : { "application/json": json },
  };
}
