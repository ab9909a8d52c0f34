import { OutboundRefused } from "@platform/service-kit/outbound/outbound-policy";
import { readBounded } from "@platform/service-kit/outbound/read-bounded";
import { type Dispatcher, request } from "undici";
import type { ScheduledOperation } from "../../domain/scheduled-operation.ts";
import type { CallOutcome } from "../../domain/scheduled-run.ts";
import { signatureHeaders } from "../../domain/webhook-signature.ts";
import type { ClaimedRun } from "../../store/claim-runs.ts";

const callMs = 15_000;
const responseBytesRead = 64 * 1024;
const responseBytesKept = 1024;

/** Whom to call, and what to sign with. */
export type CallTarget = { readonly operation: ScheduledOperation; readonly secret: string };

/** Thrown when a call was cut off because the worker stops: nothing is known of it, and it does not count as a try. */
export class CallAbandoned extends Error {}

/**
 * Calls an operation's target once: signed, at most 15 s in all, no redirects followed.
 * @throws CallAbandoned when `stopping` aborts
 */
export async function callTarget(
  { operation, secret }: CallTarget,
  run: ClaimedRun,
  options: { dispatcher: Dispatcher; now: Date; stopping: AbortSignal },
): Promise<CallOutcome> {
  const body = Buffer.from(
    JSON.stringify({
      operation_id: operation.id,
      name: operation.name,
      invocation_id: run._id,
      scheduled_for: run.scheduled_for.toISOString(),
      attempt: run.attempt_count + 1,
    }),
  );
  const timeout = AbortSignal.timeout(callMs);
  try {
    const response = await request(operation.url, {
      method: "POST",
      dispatcher: options.dispatcher,
      signal: AbortSignal.any([timeout, options.stopping]),
      headers: {
        "content-type": "application/json",
        "user-agent": "Project-Integration-Service",
        ...signatureHeaders(secret, run._id, options.now, body),
      },
      body,
    });
    const { statusCode } = response;
    const isDone = statusCode >= 200 && statusCode < 300;
    // The status has decided; a body that breaks off or never ends changes nothing.
    const bytes = await readBounded(response.body, responseBytesRead).catch(() => Buffer.alloc(0));
    const retryAfter = response.headers["retry-after"];
    return {
      statusCode,
      error: isDone ? null : `status_${statusCode}`,
      retryAfter: typeof retryAfter === "string" ? retryAfter : null,
      response: isDone || bytes.byteLength === 0 ? null : bytes.subarray(0, responseBytesKept).toString("utf8"),
    };
  } catch (error) {
    if (options.stopping.aborted) throw new CallAbandoned("the worker stops");
    return { statusCode: null, error: timeout.aborted ? "timeout" : reasonOf(error), retryAfter: null, response: null };
  }
}

/** A short name of why no answer came; never an address or a message of the system's. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundRefused) return error.reason;
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
