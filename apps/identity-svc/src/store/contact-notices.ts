import { createHash } from "node:crypto";
import { collectionOf, insertEach, isDuplicateKey } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { createMailQueue, type MailQueue } from "./mail-queue.ts";
import type { VerificationMailWork } from "./transaction-schema.ts";

/** A fact that the contacts of a client are emailed about. */
export type ContactNotice = {
  /** Type of the platform event about the same fact. */
  readonly type: string;
  /** Key of the event, which identifies its subject. */
  readonly key: string;
  readonly data_json: string;
  readonly occurred_at: Date;
};

export type ContactNoticeDocument = Omit<ContactNotice, "key"> & {
  /** Consists of contact, type, subject and day of the fact, so that there is at most one email for each combination. */
  _id: string;
  project_client_id: string;
  contact_id: string;
  mail: VerificationMailWork;
};

const required = { required: true } as const;
const keptSeconds = 30 * 86_400;

const schema = new Schema<ContactNoticeDocument>(
  {
    _id: { type: String, ...required },
    project_client_id: { type: String, ...required },
    contact_id: { type: String, ...required },
    type: { type: String, ...required },
    data_json: { type: String, ...required },
    occurred_at: { type: Date, ...required },
    mail: {
      type: new Schema<VerificationMailWork>(
        { state: { type: String, ...required }, attempts: { type: Number, ...required }, due_at: { type: Date } },
        { _id: false, strict: "throw" },
      ),
      ...required,
    },
  },
  { collection: "contact_notices", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1 });
schema.index({ "mail.due_at": 1 }, { sparse: true });
schema.index({ occurred_at: 1 }, { expireAfterSeconds: keptSeconds });

/**
 * The subject of a fact. A key contains the resource, its id, its state, and what distinguishes repeated states. Each
 * threshold of a quota is a separate subject. Otherwise an email that 80 % are used would suppress the one on the
 * same day that all of it is used.
 */
function subjectOf({ type, key, data_json }: ContactNotice): string {
  if (type !== "platform.quota.threshold_reached") return key.split(":").slice(0, 2).join(":");
  const { resource, percent } = JSON.parse(data_json) as { resource?: unknown; percent?: unknown };
  return `${resource} ${percent}`;
}

/** An email about a fact to one contact. */
export type ContactMail = {
  readonly contact: { readonly id: string; readonly project_client_id: string };
  readonly notice: ContactNotice;
};

function documentOf({ contact, notice }: ContactMail, now: Date): ContactNoticeDocument {
  const { type, data_json, occurred_at } = notice;
  const subject = createHash("sha256").update(subjectOf(notice)).digest("hex").slice(0, 32);
  return {
    _id: `${contact.id} ${type} ${subject} ${occurred_at.toISOString().slice(0, 10)}`,
    project_client_id: contact.project_client_id,
    contact_id: contact.id,
    type,
    data_json,
    occurred_at,
    mail: { state: "queued", attempts: 0, due_at: now },
  };
}

export type ContactNoticeStore = ReturnType<typeof createContactNoticeStore>;

/** Emails to contacts, kept for 30 days. */
export function createContactNoticeStore(connection: Connection) {
  const model = connection.model<ContactNoticeDocument>("ContactNotice", schema);
  return {
    /**
     * Queues emails to contacts with one command, except to a contact that was emailed about the subject on the day of
     * the fact already. The day of the fact counts, not the current one, because a notice is repeated until its fact is
     * published.
     */
    queue: async (mails: readonly ContactMail[], now: Date): Promise<void> => {
      if (mails.length === 0) return;
      const failures = await insertEach(
        { collection: collectionOf(model) },
        mails.map((mail) => documentOf(mail, now)),
      );
      for (const failure of failures.values()) if (!isDuplicateKey(failure)) throw failure;
    },
    openMails: (clock: () => Date): MailQueue<ContactNoticeDocument> => createMailQueue(model, { clock, path: "mail" }),
  };
}
