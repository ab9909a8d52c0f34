/** An act that an operator has requested and that needs the approval of a second person. */
export type Approval = {
  readonly id: string;
  /** Full name of its RPC. */
  readonly rpc: string;
  /** The words of its command. */
  readonly act: string;
  /** The bytes of its request, in base64. */
  readonly request: string;
  readonly request_json: string;
  /** Null for an act on no Project Client. */
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

/** How long an act waits, in milliseconds. */
export const approvalMs = 24 * 3_600_000;

/** The status as people see it: an act that still waits when its time is over has expired. */
export const statusOf = ({ status, expires_at }: Approval, now: Date): Approval["status"] | "expired" =>
  status === "pending" && expires_at <= now ? "expired" : status;
