import type { SentRequest, ValidatedRequest } from "./validate-request.ts";

/** A request that is sent to the thread for validation. */
export type ToValidationWorker = Omit<SentRequest, "bytes" | "scan"> & {
  readonly operationId: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/**
 * The thread's response: the validated request, the error for the caller, or an unexpected failure. Errors lose their
 * class when they are sent between threads.
 */
export type FromValidationWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "valid"; readonly request: ValidatedRequest }
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      readonly details: Record<string, unknown>;
    }
  | { readonly kind: "failed"; readonly error: unknown };
