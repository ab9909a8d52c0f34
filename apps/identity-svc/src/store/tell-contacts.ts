import type { ContactNotice, ContactNoticeStore } from "./contact-notices.ts";
import type { ProjectContactStore } from "./project-contacts.ts";

/** A fact about a client. */
export type ClientNotice = { readonly clientId: string; readonly notice: ContactNotice };

/**
 * Queues an email about each fact to each confirmed contact of its client that has not muted its type. Repeating it
 * changes nothing. The contacts of each client are read once, and the emails are written with one command, so that the
 * largest call ends within its deadline.
 */
export async function tellContacts(
  stores: {
    readonly contacts: Pick<ProjectContactStore, "listConfirmed">;
    readonly contactNotices: Pick<ContactNoticeStore, "queue">;
  },
  notices: readonly ClientNotice[],
  now: Date,
): Promise<void> {
  const byClient = Map.groupBy(notices, ({ clientId }) => clientId);
  const mails = [...byClient].map(async ([clientId, ofClient]) => {
    const contacts = await stores.contacts.listConfirmed(clientId);
    return ofClient.flatMap(({ notice }) =>
      contacts.filter(({ muted }) => !muted.includes(notice.type)).map((contact) => ({ contact, notice })),
    );
  });
  await stores.contactNotices.queue((await Promise.all(mails)).flat(), now);
}
