/** Kind of a contact. Both kinds receive every email. */
export const contactKinds = ["technical", "business"] as const;
export type ContactKind = (typeof contactKinds)[number];

/** An address that is emailed about a Project Client. */
export type ProjectContact = {
  readonly id: string;
  readonly project_client_id: string;
  /** The form that is compared: trimmed, NFC, lower case. */
  readonly email: string;
  readonly kind: ContactKind;
  /** Time at which the owner of the address followed the link; null until then. */
  readonly confirmed_at: Date | null;
  /** Types of platform events that it is not emailed about. */
  readonly muted: readonly string[];
  readonly created_at: Date;
};

/** Maximum number of contacts of one Project Client. */
export const contactsMax = 20;
/** How long the link that confirms an address works. */
export const contactLinkMs = 7 * 86_400_000;
/** Minimum time between two emails with that link to one contact. */
export const contactLinkEveryMs = 60 * 60_000;

export function isContactKind(text: string): text is ContactKind {
  return (contactKinds as readonly string[]).includes(text);
}
