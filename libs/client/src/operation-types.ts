import type { operationTable } from "./generated/operations.ts";
import type { operations } from "./generated/schema.ts";

/** Id of an operation, as in the API description: `events.publishDomainEvent`. */
export type OperationId = keyof typeof operationTable & keyof operations;

type PathParameters<Id extends OperationId> = operations[Id]["parameters"] extends { readonly path: infer Path }
  ? { readonly params: Path }
  : { readonly params?: undefined };

type RequestContent<Id extends OperationId> = operations[Id] extends {
  readonly requestBody: { readonly content: infer Content };
}
  ? Content
  : never;

type RequestBody<Id extends OperationId> = [RequestContent<Id>] extends [never]
  ? { readonly body?: undefined }
  : RequestContent<Id> extends { readonly "application/json": infer Body }
    ? { readonly body: Body }
    : { readonly body: Uint8Array | Blob; readonly contentType: keyof RequestContent<Id> & string };

/** Options of every call. */
export type CallOptions = {
  /** Identifies the request, so that a repeat has no further effect. It is generated if the operation needs one and none is given. */
  readonly idempotencyKey?: string;
  /** UUID that appears in the platform's logs and in the response. */
  readonly correlationId?: string;
  /** Credential to present instead of the client's own: a Platform Session, or another Project Credential. Null presents none. */
  readonly credential?: string | null;
  readonly signal?: AbortSignal;
};

/** Input of an operation: path parameters, body, and the options of every call. */
export type RequestOf<Id extends OperationId> = PathParameters<Id> & RequestBody<Id> & CallOptions;

type Successes<Id extends OperationId> = operations[Id]["responses"] extends infer Responses
  ? { [Status in keyof Responses & (200 | 201 | 202)]: Responses[Status] }[keyof Responses & (200 | 201 | 202)]
  : never;

/** The complete success body of an operation: `{ data }`, and `meta` if there is one. */
export type ResponseOf<Id extends OperationId> =
  Successes<Id> extends { readonly content: { readonly "application/json": infer Body } } ? Body : unknown;

/** A response with its status and headers. */
export type Answer<Id extends OperationId> = {
  readonly status: number;
  readonly body: ResponseOf<Id>;
  readonly headers: Headers;
  readonly correlationId: string;
  /** True if this is the outcome of an earlier request with the same key. */
  readonly isReplayed: boolean;
};

/** True if a call may omit its request, because nothing in it is required. */
export type RequestArguments<Id extends OperationId> =
  Record<never, never> extends RequestOf<Id> ? [request?: RequestOf<Id>] : [request: RequestOf<Id>];

/** Calls an operation by its id and returns its success body. */
export type CallFunction = <Id extends OperationId>(
  id: Id,
  ...request: RequestArguments<Id>
) => Promise<ResponseOf<Id>>;
