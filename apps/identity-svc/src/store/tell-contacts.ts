import type { ContactNotice, ContactNoticeStore } from "./contact-notices.ts";
import type { ProjectContactStore } from "./project-contacts.ts";

/** Queues an email about a fact to each confirmed contact of a client that has not muted its type. Repeating it changes nothing. */
export async function tellContacts(
  stores: {
    readonly contacts: Pick<ProjectContactStore, "listConfirmed">;
    readonly contactNotices: Pick<ContactNoticeStore, "queue">;
  },
  clientId: string,
  notice: ContactNotice,
  now: Date,
): Promise<void> {
  for (const contact of await stores.contacts.listConfirmed(clientId))
    if (!contact.muted.includes(notice.type)) await stores.contactNotices.queue(contact, notice, now);
}
