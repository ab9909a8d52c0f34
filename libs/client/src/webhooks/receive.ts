import { type HandledIds, handledIdsInMemory } from "./handled-ids.ts";
import {
  type ReceivedRequest,
  secretsOf,
  verifyReceived,
  type WebhookCall,
  WebhookError,
  type WebhookSecret,
} from "./verify.ts";

export type WebhookOptions = {
  readonly secret: WebhookSecret;
  /** Handles a call. If it rejects, the response is 500 and the platform repeats the call later. */
  readonly handle: (call: WebhookCall) => Promise<unknown> | unknown;
  /** Store of handled ids; by default in memory. */
  readonly handledIds?: HandledIds;
  /** Called with the error that `handle` threw. */
  readonly onError?: (error: unknown) => void;
};

export type WebhookAnswer = { readonly status: 200 | 400 | 401 | 409 | 413 | 500; readonly message: string };

/** Maximum size of a call's body in bytes. */
export const bodyBytesMax = 2 * 1024 * 1024;

/**
 * Verifies, de-duplicates and handles calls, and returns the response to each.
 * @throws TypeError when the secret cannot be one
 */
export function receiver({ secret, handle, handledIds = handledIdsInMemory(), onError }: WebhookOptions) {
  // A wrong secret fails when the handler is created, not at the first call.
  secretsOf(secret);
  return async (request: ReceivedRequest): Promise<WebhookAnswer> => {
    let call: WebhookCall;
    try {
      call = verifyReceived(secret, request);
    } catch (error) {
      if (error instanceof WebhookError) return { status: 401, message: error.message };
      throw error;
    }
    const state = await handledIds.begin(call.id);
    // For the platform, a repeat of a handled call is a success, because it may never have seen the first response.
    if (state === "done") return { status: 200, message: "handled before" };
    if (state === "running") return { status: 409, message: "is being handled" };
    try {
      await handle(call);
    } catch (error) {
      await handledIds.abandon(call.id);
      onError?.(error);
      return { status: 500, message: "could not be handled" };
    }
    await handledIds.finish(call.id);
    return { status: 200, message: "handled" };
  };
}
