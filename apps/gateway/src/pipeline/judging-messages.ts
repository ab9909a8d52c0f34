import type { JudgedRequest, SentRequest } from "./judge-request.ts";

/** A request for the judging thread. */
export type ToJudgingWorker = Omit<SentRequest, "bytes" | "scan"> & {
  readonly operationId: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/**
 * The thread's response: the validated request, the error for the caller, or an unexpected failure. Errors lose their
 * class between threads.
 */
export type FromJudgingWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "judged"; readonly request: JudgedRequest }
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      readonly details: Record<string, unknown>;
    }
  | { readonly kind: "failed"; readonly error: unknown };
