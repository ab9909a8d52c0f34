import type { ContactNotice, ContactNoticeStore } from "./contact-notices.ts";
import type { ProjectContactStore } from "./project-contacts.ts";

/** A fact about a client. */
export type ClientNotice = { readonly clientId: string; readonly notice: ContactNotice };

/**
 * Queues an email about each fact to each confirmed contact of its client that has not muted its type. Repeating it
 * changes nothing. All contacts are read with one command, and the emails are written with another, so that the largest
 * call ends within its deadline.
 */
export async function tellContacts(
  stores: {
    readonly contacts: Pick<ProjectContactStore, "listConfirmed">;
    readonly contactNotices: Pick<ContactNoticeStore, "queue">;
  },
  notices: readonly ClientNotice[],
  now: Date,
): Promise<void> {
  const clientIds = new Set(notices.map(({ clientId }) => clientId));
  const contacts = Map.groupBy(
    await stores.contacts.listConfirmed([...clientIds]),
    ({ project_client_id }) => project_client_id,
  );
  const mails = notices.flatMap(({ clientId, notice }) =>
    (contacts.get(clientId) ?? [])
      .filter(({ muted }) => !muted.includes(notice.type))
      .map((contact) => ({ contact, notice })),
  );
  await stores.contactNotices.queue(mails, now);
}
