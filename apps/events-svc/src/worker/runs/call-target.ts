import { defined } from "@platform/kit/process/fields";
import { OutboundRefused } from "@platform/kit/web/outbound";
import { signatureHeaders } from "@platform/kit/web/webhooks";
import type { Dispatcher } from "undici";
import type { CallOutcome } from "../../domain/scheduled-run.ts";
import type { CallableOperation } from "../../store/callable-operations.ts";
import { type OutgoingBody, PostNotBegun, PostTimedOut, postOnce } from "./post-once.ts";

/** Maximum duration of a call, in milliseconds. */
export const callMs = 15_000;
const responseBytesRead = 64 * 1024;
const responseBytesKept = 1024;

/** The target of a call, and the secrets with which the call is signed. */
export type CallTarget = { readonly operation: CallableOperation; readonly secrets: readonly string[] };

/** The body of a call, with its content type and webhook id. */
export type CallMessage = { readonly webhookId: string; readonly contentType: string; readonly body: OutgoingBody };

/**
 * Thrown if a call is aborted because the worker stops. Its outcome is unknown, and it does not count as an attempt.
 */
export class CallAbandoned extends Error {}

/** Calls in flight, each with its abort function. */
export type OpenCalls = Set<(reason: Error) => void>;

/**
 * Calls an operation's target once. The call is signed, takes at most 15 s in total, and follows no redirects.
 * @throws CallAbandoned if the worker aborted it before a response arrived, PostNotBegun if `mayBegin` returned false
 */
export async function callTarget(
  { operation, secrets }: CallTarget,
  { webhookId, contentType, body }: CallMessage,
  options: {
    dispatcher: Dispatcher;
    now: Date;
    openCalls: OpenCalls;
    mayBegin: () => boolean;
    /** Called when a large body is no longer in memory. */
    onBodySent?: (() => void) | undefined;
  },
): Promise<CallOutcome> {
  const signature = signatureHeaders(secrets, webhookId, options.now, body.text);
  const post = {
    origin: operation.origin,
    path: operation.path,
    headers: ["content-type", contentType, ...fixedHeaders, ...operation.headers, ...Object.entries(signature).flat()],
    body,
    timeoutMs: callMs,
    mayBegin: options.mayBegin,
    ...defined({ onBodySent: options.onBodySent }),
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

const fixedHeaders = ["user-agent", "Project-Integration-Service"];

/**
 * A short name for the reason why no response arrived. It never contains an address or a message of the operating
 * system.
 */
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
