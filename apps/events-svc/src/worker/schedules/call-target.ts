import { OutboundRefused } from "@platform/service-kit/outbound/outbound-policy";
import type { Dispatcher } from "undici";
import type { CallOutcome } from "../../domain/scheduled-run.ts";
import { signatureHeaders } from "../../domain/webhook-signature.ts";
import type { CallableOperation } from "../../store/callable-operations.ts";
import type { ClaimedRun } from "../../store/run-queue.ts";
import { PostNotBegun, PostTimedOut, postOnce } from "./post-once.ts";

/** The longest one call may take. */
export const callMs = 15_000;
const responseBytesRead = 64 * 1024;
const responseBytesKept = 1024;

/** Whom to call, and what to sign with. */
export type CallTarget = { readonly operation: CallableOperation; readonly secret: string };

/** Thrown when a call was cut off because the worker stops: nothing is known of it, and it does not count as a try. */
export class CallAbandoned extends Error {}

/** Calls under way, each with the function that cuts it off. */
export type OpenCalls = Set<(reason: Error) => void>;

/**
 * Calls an operation's target once: signed, at most 15 s in all, no redirects followed.
 * @throws CallAbandoned when it was cut off with one before an answer came, PostNotBegun when `mayBegin` said no
 */
export async function callTarget(
  { operation, secret }: CallTarget,
  { document: run }: ClaimedRun,
  options: { dispatcher: Dispatcher; now: Date; openCalls: OpenCalls; mayBegin: () => boolean },
): Promise<CallOutcome> {
  const body = JSON.stringify({
    operation_id: operation.id,
    name: operation.name,
    invocation_id: run._id,
    scheduled_for: run.scheduled_for.toISOString(),
    attempt: run.attempt_count + 1,
  });
  const signature = signatureHeaders(secret, run._id, options.now, body);
  const post = {
    origin: operation.origin,
    path: operation.path,
    headers: [...fixedHeaders, ...Object.entries(signature).flat()],
    body,
    timeoutMs: callMs,
    mayBegin: options.mayBegin,
    bytesMax: responseBytesRead,
  };
  try {
    const { statusCode, headers, body: answer } = await postOnce(options.dispatcher, post, options.openCalls);
    const isDone = statusCode >= 200 && statusCode < 300;
    const retryAfter = headers["retry-after"];
    return {
      statusCode,
      error: isDone ? null : `status_${statusCode}`,
      retryAfter: typeof retryAfter === "string" ? retryAfter : null,
      response: isDone || answer.byteLength === 0 ? null : answer.subarray(0, responseBytesKept).toString("utf8"),
    };
  } catch (error) {
    if (error instanceof CallAbandoned || error instanceof PostNotBegun) throw error;
    return { statusCode: null, error: reasonOf(error), retryAfter: null, response: null };
  }
}

const fixedHeaders = ["content-type", "application/json", "user-agent", "Project-Integration-Service"];

/** A short name of why no answer came; never an address or a message of the system's. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundRefused) return error.reason;
  if (error instanceof PostTimedOut) return "timeout";
  const code = (error as { code?: unknown }).code;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  switch (code) {
    case "ECONNREFUSED":
      return "connection_refused";
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "ETIMEOUT":
      return "name_not_resolved";
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
    case "ETIMEDOUT":
      return "timeout";
    default:
      return typeof code === "string" && /^(ERR_TLS|CERT|DEPTH|SELF_SIGNED|UNABLE_TO|ERR_SSL)/.test(code)
        ? "tls_failed"
        : "connection_failed";
  }
}
