import { hashToken } from "@platform/kit/process/secrets";
import { contactConfirmationMail, contactNoticeMail, hasContactMail } from "../mail/contact-mails.ts";
import { currentToken, recoverLinkToken } from "../operations/derived-tokens.ts";
import type { ContactNoticeDocument } from "../store/contact-notices.ts";
import type { ProjectContactDocument } from "../store/project-contacts.ts";
import type { MailDelivery, MailWork } from "./deliver-mails.ts";

const purpose = "project-contact.link-token";

/** Emails with the link that confirms a contact's address. */
export function contactConfirmationMails(delivery: MailDelivery): MailWork<ProjectContactDocument> {
  const { stores, clock } = delivery;
  return {
    name: "deliver-contact-confirmations",
    queue: stores.contacts.openMails(clock),
    // The id contains the time of the link, because a new link is sent in a new email.
    describe: ({ _id, mail, last_link_at }) => ({
      id: `${_id}.${last_link_at.getTime()}`,
      attempts: mail.attempts,
      resourceId: _id,
    }),
    prepare: async (contact) => {
      if (contact.link_expires_at <= clock()) return "outlived";
      const client = await stores.clients.find(contact.project_client_id);
      if (client === null) return "outlived";
      if (client.disabled_at !== null) return "waiting";
      const link = await linkOf(delivery, contact);
      return { to: contact.email, content: contactConfirmationMail({ project: client.name, link }) };
    },
  };
}

/** Emails to contacts about facts of their project. */
export function contactNoticeMails(delivery: MailDelivery): MailWork<ContactNoticeDocument> {
  const { stores, clock } = delivery;
  return {
    name: "deliver-contact-notices",
    queue: stores.contactNotices.openMails(clock),
    describe: ({ _id, mail, contact_id }) => ({
      id: hashToken(_id).slice(0, 32),
      attempts: mail.attempts,
      resourceId: contact_id,
    }),
    prepare: async ({ project_client_id, contact_id, type, data_json }) => {
      const [client, contact] = await Promise.all([
        stores.clients.find(project_client_id),
        stores.contacts.find(contact_id),
      ]);
      if (client === null || contact === null || contact.confirmed_at === null) return "outlived";
      if (contact.muted.includes(type) || !hasContactMail(type)) return "outlived";
      const data = JSON.parse(data_json) as Record<string, unknown>;
      const stopLink = await linkOf(delivery, contact);
      return { to: contact.email, content: contactNoticeMail({ type, data, project: client.name, stopLink }) };
    },
  };
}

/**
 * Returns the contact's link. If the key that it was derived from was removed from the ring, the contact gets a new
 * one.
 */
async function linkOf(
  { stores, keyring, publicBaseUrl }: MailDelivery,
  { _id, token_sha256 }: Pick<ProjectContactDocument, "_id" | "token_sha256">,
): Promise<string> {
  let token = recoverLinkToken(keyring, purpose, _id, token_sha256);
  if (token === null) {
    token = currentToken(keyring, purpose, _id);
    await stores.contacts.setToken(_id, hashToken(token));
  }
  return `${publicBaseUrl}/api/v1/identity-migration/contacts/${token}`;
}
