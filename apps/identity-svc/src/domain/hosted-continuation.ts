/** One browser's way through the hosted pages. */
export type HostedContinuation = {
  readonly id: string;
  readonly project_client_id: string;
  readonly transaction_id: string;
  readonly return_uri: string;
  readonly state: string;
  readonly created_at: Date;
  /** Until when it can be posted. */
  readonly expires_at: Date;
  /** SHA-256 of the secret in the first browser's cookie; null until it was posted. */
  readonly browser_sha256: string | null;
  /** Until when the bound browser may go on; null until it was posted. */
  readonly flow_expires_at: Date | null;
  readonly outcome: "linked" | "cancelled" | null;
};

/** How long a continuation can be posted. */
export const continuationMs = 10 * 60 * 1000;
/** How long the browser that posted it has for the pages: long enough to wait for a mail. */
export const continuationFlowMs = 60 * 60 * 1000;
