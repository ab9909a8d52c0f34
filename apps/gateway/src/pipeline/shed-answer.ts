import type { NamedOperation } from "@platform/contracts/operations";
import { corsHeaders } from "./cors.ts";
import type { Answer } from "./exchange.ts";
import { fixedHeaders } from "./send-answer.ts";
import { wireText } from "./wire-text.ts";

/** dependency_unavailable, its envelope written by hand: under overload this is what is answered most. */
export function shedAnswer(correlationId: string): Answer & { kind: "body" } {
  const body = `{"error":{"code":"dependency_unavailable","message":"The platform is at its limit; try again shortly.","retryable":true,"correlation_id":"${correlationId}","details":{}}}`;
  return { kind: "body", status: 503, headers: { "retry-after": "1" }, body };
}

/** An answer as it goes over the wire, with the headers every answer of the operation has. */
export function answerText(
  operation: NamedOperation,
  correlationId: string,
  answer: Answer & { kind: "body" },
  headers: Readonly<Record<string, string>> = {},
): string {
  const shared = { ...fixedHeaders, "x-correlation-id": correlationId, ...corsHeaders(operation) };
  return wireText(answer.status, { ...shared, ...headers, ...answer.headers }, answer.body);
}
