/** An act that an operator has requested and that needs the approval of a second person. */
export type Approval = {
  readonly id: string;
  /** Full name of the RPC that performs the act. */
  readonly rpc: string;
  /** The act in the words of its platformctl command. */
  readonly act: string;
  /** The bytes of the RPC's request, in base64. */
  readonly request: string;
  readonly request_json: string;
  /** The Project Client that the act concerns; null if it concerns none. */
  readonly project_client_id: string | null;
  /** Subject of the person who requested it, or `break-glass`. */
  readonly asked_by: string;
  readonly asked_by_name: string;
  /** True if the person requested it with the role root. */
  readonly asked_as_root: boolean;
  readonly reason: string;
  readonly asked_at: Date;
  readonly expires_at: Date;
  readonly status: "pending" | "approved" | "rejected";
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
};

/** How long a requested act can be approved, in milliseconds. */
export const approvalMs = 24 * 3_600_000;

/** The status that operators see: an act that is still pending after `expires_at` has expired. */
export const statusOf = ({ status, expires_at }: Approval, now: Date): Approval["status"] | "expired" =>
  status === "pending" && expires_at <= now ? "expired" : status;
