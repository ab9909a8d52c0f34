import type { MemberRoleName } from "@platform/kit/rpc/client";

export const invitationWindowMs = 60 * 60 * 1000;
/**
 * Maximum number of emails with invitations that a project may send within an hour. Further people are invited
 * without an email.
 */
export const invitationMailsMax = 20;
/** How long the platform keeps trying to send the email with an invitation. */
export const invitationMailMs = 7 * 24 * 60 * 60 * 1000;

/**
 * A person who was invited to a project. The record is kept after the invitation was accepted and after the person
 * was removed.
 */
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
  /**
   * State of the email with the invitation: `failed` if it was not sent, because the project had sent too many or the
   * mail server refused the address. Null once the invitation was accepted or withdrawn.
   */
  readonly invitation_mail: "queued" | "sent" | "failed" | null;
};
