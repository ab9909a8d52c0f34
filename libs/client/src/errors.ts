import type { components } from "./generated/schema.ts";

type Envelope = components["schemas"]["Error"]["error"];

/** Every error code of the platform, and `unexpected_answer` for a response without the envelope, which comes from a proxy in between. */
export type ErrorCode = Envelope["code"] | "unexpected_answer";

/** One violation of the contract. */
export type Violation = { readonly path: string; readonly code: string; readonly message: string };

/** The platform rejected a request or failed to process it. */
export class PlatformError extends Error {
  override readonly name = "PlatformError";
  readonly code: ErrorCode;
  /** Status of the response. */
  readonly status: number;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** Correlation id to quote to the platform's operators. */
  readonly correlationId: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** How long to wait before the next attempt, in seconds; null if the platform did not specify it. */
  readonly retryAfterSeconds: number | null;

  constructor(
    fields: Pick<PlatformError, "code" | "status" | "retryable" | "correlationId" | "details"> & {
      readonly message: string;
      readonly retryAfterSeconds: number | null;
    },
  ) {
    super(`${fields.code}: ${fields.message}`);
    this.code = fields.code;
    this.status = fields.status;
    this.retryable = fields.retryable;
    this.correlationId = fields.correlationId;
    this.details = fields.details;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }

  /** Places at which the request violates the contract; empty for other errors. */
  get violations(): readonly Violation[] {
    return Array.isArray(this.details.violations) ? (this.details.violations as Violation[]) : [];
  }
}

/** No response arrived: the connection failed, broke, or one attempt timed out. The outcome of the request is unknown. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /**
   * What ended the attempt: the time limit of this client, or the connection, which was lost or could not be
   * established.
   */
  readonly gaveUp: "client" | "connection";

  constructor(message: string, { gaveUp, ...options }: ErrorOptions & { readonly gaveUp: "client" | "connection" }) {
    super(message, options);
    this.gaveUp = gaveUp;
  }
}

/** Converts an unsuccessful response to an error. */
export async function errorOfResponse(response: Response): Promise<PlatformError> {
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const around = {
    status: response.status,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  };
  const envelope = parseEnvelope(await response.text());
  if (envelope === null) {
    return new PlatformError({
      ...around,
      code: "unexpected_answer",
      message: `status ${response.status} without the error envelope`,
      retryable: response.status >= 502 && response.status <= 504,
      correlationId: response.headers.get("x-correlation-id") ?? "",
      details: {},
    });
  }
  const { code, message, retryable, correlation_id: correlationId, details } = envelope;
  return new PlatformError({
    ...around,
    code,
    message,
    retryable,
    correlationId,
    details: details as Record<string, unknown>,
  });
}

function parseEnvelope(text: string): Envelope | null {
  try {
    const { error } = JSON.parse(text) as { error?: Envelope };
    return typeof error?.code === "string" ? error : null;
  } catch {
    return null;
  }
}
