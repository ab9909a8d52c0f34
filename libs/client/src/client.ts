import { ConnectionError, errorOfResponse } from "./errors.ts";
import { operationTable } from "./generated/operations.ts";
import {
  type HostedContinuation,
  type HostedContinuationForm,
  hostedContinuationForm,
} from "./hosted-continuation-form.ts";
import type { Answer, CallFunction, CallOptions, OperationId, RequestArguments } from "./operation-types.ts";
import type { WaitOptions } from "./poll.ts";
import { type RetryPolicy, waitInRealTime, withRetries } from "./retry.ts";
import { createStallLimit, type StallLimit } from "./stall-limit.ts";
import { smallPartsOf } from "./streams.ts";
import { type FileSource, type UploadOptions, type UploadVerdict, uploadFile } from "./upload-file.ts";
import { type Delivery, waitForDelivery } from "./wait-for-delivery.ts";

export type ClientOptions = {
  /** URL of the platform, such as `https://platform.example.com`. */
  readonly baseUrl: string;
  /**
   * Project Credential (`pcred_…`) or Platform Session (`psess_…`); null if only operations without authentication are
   * called.
   */
  readonly credential: string | null;
  /**
   * Time limit of one attempt, until its complete response has arrived; 30 seconds by default. For an upload, it is the
   * longest time without a byte sent, and the whole upload may take as long as the platform permits.
   */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly fetch?: typeof fetch;
};

/** Calls the platform's operations by their ids, and offers functions for tasks that need several operations. */
export type Client = {
  /**
   * Calls an operation and returns its success body.
   * @throws PlatformError if the platform rejects the request or fails, after all sensible attempts
   * @throws ConnectionError if no response arrived
   */
  readonly call: CallFunction;
  /** Like `call`, with status, headers and whether the outcome is a replay. */
  exchange<Id extends OperationId>(id: Id, ...request: RequestArguments<Id>): Promise<Answer<Id>>;
  /** Uploads a file (digest, grant, bytes, completion) and waits for the verdict of its inspection. */
  uploadFile(source: FileSource, options: UploadOptions): Promise<UploadVerdict>;
  /** Waits until a notification is `sent` or `failed`; after the given time, returns the delivery as it is. */
  waitForDelivery(deliveryId: string, options?: WaitOptions): Promise<Delivery>;
  /** The form that sends a browser to the hosted pages of an identity migration. */
  hostedContinuationForm(continuation: HostedContinuation, button?: string): HostedContinuationForm;
};

/** A request of any operation; the exported types tie each to its own. */
type AnyRequest = CallOptions & {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
};

type TableRow = (typeof operationTable)[OperationId];

/**
 * A client of the platform. Operations that need an Idempotency-Key get one, which is the same for every attempt.
 * Retryable errors are retried if a repeat has no second effect.
 */
export function createClient(options: ClientOptions): Client {
  const policy: RetryPolicy = { attemptsMax: 4, waitMsMax: 60_000, wait: waitInRealTime, ...options.retry };
  const send = options.fetch ?? fetch;
  const { timeoutMs = 30_000 } = options;

  const exchange = async (id: OperationId, request: AnyRequest = {}): Promise<Answer<OperationId>> => {
    const row = operationTable[id];
    const url = `${options.baseUrl.replace(/\/+$/, "")}/api/v1${pathOf(row, request.params ?? {})}`;
    const key = request.idempotencyKey ?? (row.needsKey ? crypto.randomUUID() : undefined);
    const credential = request.credential === undefined ? options.credential : request.credential;
    const init = {
      method: row.method,
      headers: {
        accept: "application/json",
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
        ...(request.correlationId === undefined ? {} : { "x-correlation-id": request.correlationId }),
        ...(row.body === "none" ? {} : { "content-type": request.contentType ?? "application/json" }),
      },
      ...bodyOf(row, request.body),
    };
    return withRetries(policy, isRepeatable(row), request.signal, async () => {
      const limit = createStallLimit(timeoutMs);
      const signal = request.signal === undefined ? limit.signal : AbortSignal.any([request.signal, limit.signal]);
      const reach = createReach(limit.signal, timeoutMs);
      try {
        const sent = row.body === "bytes" ? watchedBytes(init, limit) : init;
        return await answerOf(await reach(() => send(url, { ...sent, signal })), reach);
      } finally {
        limit.stop();
      }
    });
  };

  const call = (async (id: OperationId, request?: AnyRequest) => (await exchange(id, request)).body) as CallFunction;
  return {
    exchange: exchange as Client["exchange"],
    call,
    uploadFile: (source, options) => uploadFile(call, source, options, policy.wait),
    waitForDelivery: (deliveryId, options) => waitForDelivery(call, deliveryId, options),
    hostedContinuationForm: (continuation, button) => hostedContinuationForm(options.baseUrl, continuation, button),
  };
}

/**
 * Returns whether the request may be repeated after an unknown outcome. An upload's token is consumed by its first
 * attempt.
 */
function isRepeatable(row: TableRow): boolean {
  return row.body !== "bytes" && (row.needsKey || row.method !== "POST");
}

function pathOf(row: TableRow, params: Readonly<Record<string, string>>): string {
  return row.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === "") throw new TypeError(`${row.method} ${row.path} needs params.${name}`);
    return encodeURIComponent(value);
  });
}

function bodyOf(row: TableRow, body: unknown): Pick<RequestInit, "body"> {
  if (row.body === "none") return {};
  return { body: row.body === "json" ? JSON.stringify(body) : (body as Uint8Array<ArrayBuffer> | Blob) };
}

/**
 * A part is requested once the previous one was read, so parts of this size show whether the connection makes progress.
 */
const watchedPartBytes = 64 * 1024;

/** A request whose body reports its progress. If the body of a fetch is not a stream, nothing is reported. */
function watchedBytes(
  init: RequestInit & { readonly headers: Record<string, string> },
  { touch, sentAll }: StallLimit,
): RequestInit {
  const { body } = init;
  const blob = body instanceof Blob ? body : new Blob([body as Uint8Array<ArrayBuffer>]);
  if (blob.size === 0) return { ...init, body: blob };
  const parts = smallPartsOf(blob.stream(), watchedPartBytes);
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      touch();
      const { done, value } = await parts.next();
      if (done !== true) return controller.enqueue(value);
      sentAll(blob.size);
      controller.close();
    },
    cancel: async () => void (await parts.return(undefined)),
  });
  const headers = { ...init.headers, "content-length": String(blob.size) };
  // `duplex` is not in the DOM's types yet (https://fetch.spec.whatwg.org/#dom-requestinit-duplex).
  return { ...init, headers, body: stream, duplex: "half" } as RequestInit;
}

type Reach = <T>(action: () => Promise<T>) => Promise<T>;

/** Runs a part of an attempt, and records who gave up if it does not end. */
function createReach(limit: AbortSignal, limitMs: number): Reach {
  return async (action) => {
    try {
      return await action();
    } catch (error) {
      throw limit.aborted
        ? new ConnectionError(`this client gave up after ${limitMs} ms`, { gaveUp: "client", cause: error })
        : new ConnectionError("the connection to the platform broke, or could not be made", {
            gaveUp: "connection",
            cause: error,
          });
    }
  };
}

async function answerOf(response: Response, reach: Reach): Promise<Answer<OperationId>> {
  if (!response.ok) throw await reach(() => errorOfResponse(response));
  return {
    status: response.status,
    body: (await reach(() => response.json())) as Answer<OperationId>["body"],
    headers: response.headers,
    correlationId: response.headers.get("x-correlation-id") ?? "",
    isReplayed: response.headers.get("idempotency-replayed") === "true",
  };
}
