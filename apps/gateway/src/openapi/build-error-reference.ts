import { errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import { operationList } from "@platform/contracts/operations";

const cell = (text: string) => text.replaceAll("|", "\\|");

/** The operations that answer `code` with another status than the vocabulary's, as a sentence each. */
function exceptions(code: ErrorCode): string[] {
  return operationList
    .filter((operation) => errorStatus(code, operation) !== errorCodes[code].status)
    .map(
      ({ method, path, ...operation }) => `${errorStatus(code, { method, path, ...operation })} on ${method} ${path}`,
    );
}

/** The reference page of error codes, in Markdown: one row per code, sorted by status and then by name. */
export function buildErrorReference(): string {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).sort(
    (one, other) => errorCodes[one].status - errorCodes[other].status || (one < other ? -1 : 1),
  );
  const rows = codes.map((code) => {
    const { status, retryable, meaning, remedy } = errorCodes[code];
    const statuses = [String(status), ...exceptions(code)].join("; ");
    return `| \`${code}\` | ${statuses} | ${retryable ? "yes" : "no"} | ${cell(meaning)} | ${cell(remedy)} |`;
  });
  return `<!-- Generated from libs/contracts/src/errors.ts by apps/gateway/src/openapi/write-openapi.ts. Do not edit. -->

# Error codes

Every error body is one envelope, whatever produced it:

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

Decide by \`code\`: it is one of the list below and keeps its meaning; \`message\` is for people and may change.
A retryable error may be gone when the same request is sent again, after \`Retry-After\` where the answer has one, and with the same \`Idempotency-Key\`.
\`correlation_id\` equals the answer's \`X-Correlation-ID\`: quote it when you ask for help.

| Code | Status | Retryable | Meaning | What to do |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
