import type { MemberRoleName } from "@platform/kit/rpc/client";

/** A person of a project, from the invitation on. */
export type ProjectMember = {
  readonly id: string;
  readonly project_client_id: string;
  /** The address they were invited by, as `normalizeEmail` writes it; absent once they were removed or erased. */
  readonly email?: string;
  /**
   * Subject at the identity provider of the first person who signed in with the address. Null until then, and after the
   * member was removed.
   */
  readonly subject: string | null;
  readonly role: MemberRoleName;
  readonly invited_by: string;
  readonly invited_at: Date;
  readonly accepted_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly removed_at: Date | null;
};
