/** One browser's session in the hosted pages. */
export type HostedContinuation = {
  readonly id: string;
  readonly project_client_id: string;
  readonly transaction_id: string;
  readonly return_uri: string;
  readonly state: string;
  readonly created_at: Date;
  /** Time after which it can no longer be posted. */
  readonly expires_at: Date;
  /** SHA-256 of the secret in the first browser's cookie; null until it was posted. */
  readonly browser_sha256: string | null;
  /** Time by which the bound browser must have finished; null before the continuation is posted. */
  readonly flow_expires_at: Date | null;
  readonly outcome: "linked" | "cancelled" | null;
};

/** Lifetime of a continuation before a browser posts it, in milliseconds. */
export const continuationMs = 10 * 60 * 1000;
/** How long the browser that posted it may use the pages, in milliseconds. It is enough time to wait for an email. */
export const continuationFlowMs = 60 * 60 * 1000;
