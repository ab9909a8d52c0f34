import { STATUS_CODES } from "node:http";
import { errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import { operationList } from "@platform/contracts/operations";

/** Returns one sentence for each operation that uses another status for `code` than the vocabulary. */
function exceptions(code: ErrorCode): string[] {
  return operationList
    .filter((operation) => errorStatus(code, operation) !== errorCodes[code].status)
    .map(
      ({ method, path, ...operation }) => `${errorStatus(code, { method, path, ...operation })} on ${method} ${path}`,
    );
}

/** Builds the reference page of error codes in Markdown: one line per code, sorted by status and then by name. */
export function buildErrorReference(): string {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).sort(
    (one, other) => errorCodes[one].status - errorCodes[other].status || (one < other ? -1 : 1),
  );
  const sections = [...Map.groupBy(codes, (code) => errorCodes[code].status)].map(
    ([status, ofStatus]) => `## ${status} ${STATUS_CODES[status]}\n\n${ofStatus.map(line).join("\n")}`,
  );
  return `<!-- Generated from libs/contracts/src/errors.ts by apps/gateway/src/openapi/write-openapi.ts. Do not edit. -->

# Error codes

Every error response of the API has a body of this form:

\`\`\`json
{
  "error": {
    "code": "contract_violation",
    "message": "The request violates the contract.",
    "retryable": false,
    "correlation_id": "01890a5d-ac96-774b-bcce-b302099a8057",
    "details": {
      "violations": [{ "path": "/email", "code": "required", "message": "is required" }]
    }
  }
}
\`\`\`

In your code, decide by \`code\`. Every code is listed on this page, and its meaning never changes. \`message\` is written for people and may change.

If \`retryable\` is true, send the request again with the same \`Idempotency-Key\`. If the response has a \`Retry-After\` header, wait that long first. To report a
problem, quote the \`correlation_id\`, which is also in the header \`X-Correlation-ID\`.

Each entry below says what the code means and, in italics, what to do.

${sections.join("\n\n")}
`;
}

function line(code: ErrorCode): string {
  const { retryable, meaning, remedy } = errorCodes[code];
  const marks = [...(retryable ? ["retryable"] : []), ...exceptions(code)];
  return `- \`${code}\`${marks.length === 0 ? "" : ` (${marks.join("; ")})`}: ${meaning} *${remedy}*`;
}
