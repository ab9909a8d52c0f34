import { answerableErrors, errorStatus } from "@platform/contracts/answerable-errors";
import { type ErrorCode, errorCodes } from "@platform/contracts/errors";
import type { NamedOperation } from "@platform/contracts/operations";
import { z } from "zod";
import { formMedia } from "../walk/operation-request.ts";

const envelope = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().min(1),
    retryable: z.boolean(),
    correlation_id: z.uuid(),
    details: z.record(z.string(), z.unknown()),
  }),
});

/** Internal details that a response must never contain. */
const insides = /node_modules|\.ts:\d|\bat \S+ \(\S+:\d+:\d+\)|Mongo(?!DB-)|ECONN|127\.0\.0\.1:(?!\d+\/api)|grpc/gi;

/** The parts of a response that are checked. */
type Answered = {
  readonly status: number;
  readonly text: string;
  readonly contentType: string | null;
  readonly correlationId: string | null;
};

/**
 * Checks a response to any request. It must be a success of the contract or an error of the operation in the envelope.
 * Returns null if the response is correct, and otherwise what is wrong. A 5xx is always wrong, because every dependency
 * works in this test.
 * @param sent the request; a response may repeat its words
 */
export function soundnessFault(operation: NamedOperation, reply: Answered, sent: string): string | null {
  const { status, text, contentType, correlationId } = reply;
  const fault = (what: string): string => `${operation.id}: ${what}: ${status} ${text.slice(0, 300)}`;
  if (status >= 500) return fault("an error of ours");
  if (correlationId === null || !z.uuid().safeParse(correlationId).success) return fault("no correlation id");
  const shown = (text.match(insides) ?? []).find((match) => !sent.includes(match));
  if (status >= 400 && shown !== undefined) return fault(`something of our insides: ${shown}`);
  if (operation.rawBody?.includes(formMedia) === true && contentType?.startsWith("text/html") === true) {
    // Errors of browser forms are HTML pages instead of envelopes.
    return status < 400 || text.includes(correlationId) ? null : fault("no correlation id on the page");
  }
  if (status < 400) {
    if (status !== operation.status) return fault(`a success other than ${operation.status}`);
    const issues = operation.response?.safeParse(JSON.parse(text)).error?.issues;
    return issues === undefined ? null : fault(JSON.stringify(issues));
  }
  const parsed = envelope.safeParse(parseJson(text));
  if (!parsed.success) return fault("no envelope");
  const { code, retryable, correlation_id } = parsed.data.error;
  const edge: readonly ErrorCode[] = [
    "route_not_found",
    "method_not_allowed",
    "contract_violation",
    "unsupported_media_type",
  ];
  if (![...answerableErrors(operation), ...edge].includes(code)) return fault("a code the operation does not list");
  if (code !== "route_not_found" && status !== errorStatus(code, operation))
    return fault("another status than the code's");
  if (retryable !== errorCodes[code].retryable) return fault("another retryable than the code's");
  return correlation_id === correlationId ? null : fault("another correlation id than the header's");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Throws if a response is wrong. */
export function expectSound(
  operation: NamedOperation,
  reply: { readonly status: number; readonly text: string; readonly headers: Headers },
  sent = "",
): void {
  const { status, text, headers } = reply;
  const answered = {
    status,
    text,
    contentType: headers.get("content-type"),
    correlationId: headers.get("x-correlation-id"),
  };
  const fault = soundnessFault(operation, answered, sent);
  if (fault !== null) throw new Error(fault);
}
