import type { JudgedRequest, SentRequest } from "./judge-request.ts";

/** A request for the judging thread. */
export type ToJudgingWorker = Omit<SentRequest, "bytes" | "scan"> & {
  readonly operationId: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/** The thread's answer: the request, the refusal that the caller gets, or an unexpected failure. Errors lose their class between threads. */
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
