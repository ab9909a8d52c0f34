import type { NamedOperation } from "@platform/contracts/operations";
import { type ApiReply, api } from "../stack.ts";

/** A request of one operation as it is sent. */
export type OperationRequest = {
  readonly params: Readonly<Record<string, string>> | null;
  /** JSON body, or the fields of a form if the operation accepts one; null if it accepts neither. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Bytes and media type, for operations that accept bytes. */
  readonly upload?: { readonly bytes: Uint8Array; readonly contentType: string };
  /** A Platform Session, if the operation requires one. */
  readonly session?: string;
};

/** Parts that are sent in addition to the request. */
export type SendOptions = {
  /** Null presents none. By default the request's session is presented, if it has one. */
  readonly credential?: string | null | undefined;
  /** Null sends no key, undefined a new one. */
  readonly idempotencyKey?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body that is sent unchanged instead of the request's body. */
  readonly rawBody?: string;
  readonly baseUrl?: string;
};

export const formMedia = "application/x-www-form-urlencoded";

/** Returns the path of `operation` with the values of `params`. */
export function pathOf(operation: NamedOperation, params: OperationRequest["params"]): string {
  return operation.path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ""));
}

/** Sends one request of any operation. */
export function send(
  operation: NamedOperation,
  request: OperationRequest,
  options: SendOptions = {},
): Promise<ApiReply> {
  const { params, body, upload, session } = request;
  const isForm = operation.rawBody?.includes(formMedia) === true;
  const contentType = upload?.contentType ?? (isForm ? formMedia : undefined);
  const text = isForm && body !== null ? new URLSearchParams(body as Record<string, string>).toString() : body;
  const sent = options.rawBody ?? upload?.bytes ?? text;
  return api(operation.method, pathOf(operation, params), {
    credential: options.credential === undefined ? (session ?? null) : options.credential,
    ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
    ...(sent === null ? {} : { body: sent }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    headers: { ...(contentType === undefined ? {} : { "content-type": contentType }), ...options.headers },
  });
}

/** Returns the credential for an operation: that of the client, the session of the request, or none. */
export function credentialFor(operation: NamedOperation, request: OperationRequest, ofClient: string): string | null {
  switch (operation.auth.scheme) {
    case "projectCredential":
      return ofClient;
    case "platformSession":
      return request.session ?? null;
    case "none":
      return null;
  }
}
