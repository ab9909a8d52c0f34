import { errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import { operationList } from "@platform/contracts/operations";

/** The operations that answer `code` with another status than the vocabulary's, as a sentence each. */
function exceptions(code: ErrorCode): string[] {
  return operationList
    .filter((operation) => errorStatus(code, operation) !== errorCodes[code].status)
    .map(
      ({ method, path, ...operation }) => `${errorStatus(code, { method, path, ...operation })} on ${method} ${path}`,
    );
}

/** The reference page of error codes, in Markdown: one line per code, sorted by status and then by name. */
export function buildErrorReference(): string {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).sort(
    (one, other) => errorCodes[one].status - errorCodes[other].status || (one < other ? -1 : 1),
  );
  const sections = [...Map.groupBy(codes, (code) => errorCodes[code].status)].map(
    ([status, ofStatus]) => `## ${status}\n\n${ofStatus.map(line).join("\n")}`,
  );
  return `<!-- Generated from libs/contracts/src/errors.ts by apps/gateway/src/openapi/write-openapi.ts. Do not edit. -->

# Error codes

Every error body is one envelope:

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

Decide by \`code\`: it is one of this page and keeps its meaning. \`message\` is for people and may change. Repeat a *retryable* error's request
after \`Retry-After\`, where the answer has it, with the same \`Idempotency-Key\`. \`correlation_id\` equals the answer's \`X-Correlation-ID\`.
Each line says what the code means and, in italics, what to do.

${sections.join("\n\n")}
`;
}

function line(code: ErrorCode): string {
  const { retryable, meaning, remedy } = errorCodes[code];
  const marks = [...(retryable ? ["retryable"] : []), ...exceptions(code)];
  return `- \`${code}\`${marks.length === 0 ? "" : ` (${marks.join("; ")})`}: ${meaning} *${remedy}*`;
}
