import { defined } from "@platform/kit/process/fields";
import { collectionOf, insertOrFind } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { contactLinkEveryMs, contactLinkMs, type ProjectContact } from "../domain/project-contact.ts";
import { createMailQueue, type MailQueue } from "./mail-queue.ts";
import type { VerificationMailWork } from "./transaction-schema.ts";

export type ProjectContactDocument = Omit<ProjectContact, "id"> & {
  _id: string;
  /** Hash of the token in the link that confirms the address and later stops the emails. */
  token_sha256: string;
  /** Time until which the address can be confirmed. */
  link_expires_at: Date;
  last_link_at: Date;
  /** State of the email with the link. */
  mail: VerificationMailWork;
};

const required = { required: true } as const;

const schema = new Schema<ProjectContactDocument>(
  {
    _id: { type: String, ...required },
    project_client_id: { type: String, ...required },
    email: { type: String, ...required },
    kind: { type: String, ...required },
    confirmed_at: { type: Date, default: null },
    muted: { type: [String], ...required },
    created_at: { type: Date, ...required },
    token_sha256: { type: String, ...required },
    link_expires_at: { type: Date, ...required },
    last_link_at: { type: Date, ...required },
    mail: {
      type: new Schema<VerificationMailWork>(
        { state: { type: String, ...required }, attempts: { type: Number, ...required }, due_at: { type: Date } },
        { _id: false, strict: "throw" },
      ),
      ...required,
    },
  },
  { collection: "project_contacts", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, email: 1, kind: 1 }, { unique: true });
schema.index({ token_sha256: 1 }, { unique: true });
// Index for finding a person's contacts when the person is erased.
schema.index({ email: 1 });
schema.index({ "mail.due_at": 1 }, { sparse: true });

export type ProjectContactStore = ReturnType<typeof createProjectContactStore>;

/** The contacts of Project Clients. */
export function createProjectContactStore(connection: Connection) {
  const model = connection.model<ProjectContactDocument>("ProjectContact", schema);
  const collection = collectionOf(model);
  const mapped = (document: ProjectContactDocument | null): ProjectContact | null =>
    document === null ? null : contactFromDocument(document);
  const changed = async (filter: object, update: object): Promise<ProjectContact | null> =>
    mapped(
      await model.findOneAndUpdate(filter, update, { returnDocument: "after" }).lean<ProjectContactDocument | null>(),
    );
  return {
    /**
     * Adds a contact and queues the email with its link. An existing contact is kept; while it is pending, its link
     * stays valid and is emailed again, at most once an hour.
     */
    add: async (contact: ProjectContact, tokenSha256: string): Promise<ProjectContact> => {
      const { id, ...fields } = contact;
      const now = contact.created_at;
      const link = { link_expires_at: new Date(now.getTime() + contactLinkMs), last_link_at: now };
      const mail = { state: "queued", attempts: 0, due_at: now } as const;
      const document = { _id: id, ...fields, muted: [...fields.muted], token_sha256: tokenSha256, ...link, mail };
      const { project_client_id, email, kind } = contact;
      const stored = await insertOrFind(
        document,
        () => collection.insertOne(document),
        () => collection.findOne({ project_client_id, email, kind }),
      );
      if (stored === null) return contact;
      const due = { $lte: new Date(now.getTime() - contactLinkEveryMs) };
      const again = await changed(
        { _id: stored._id, confirmed_at: null, last_link_at: due },
        { $set: { ...link, mail } },
      );
      return again ?? contactFromDocument(stored);
    },
    count: (clientId: string): Promise<number> => collection.countDocuments({ project_client_id: clientId }),
    list: async (clientId: string): Promise<ProjectContact[]> => {
      const found = await collection.find({ project_client_id: clientId }).sort({ created_at: 1, _id: 1 }).toArray();
      return found.map(contactFromDocument);
    },
    find: async (id: string): Promise<ProjectContactDocument | null> => collection.findOne({ _id: id }),
    listConfirmed: async (clientIds: readonly string[]): Promise<ProjectContact[]> => {
      const ofClients = { project_client_id: { $in: [...clientIds] }, confirmed_at: { $ne: null } };
      const found = await collection.find(ofClients).toArray();
      return found.map(contactFromDocument);
    },
    remove: async (id: string): Promise<boolean> => (await collection.deleteOne({ _id: id })).deletedCount === 1,
    /** Removes an address. @returns the number of contacts that were removed */
    removeAddress: async (clientId: string, email: string, kind: string | null): Promise<number> => {
      const of = { project_client_id: clientId, email, ...defined({ kind }) };
      return (await collectionOf(model as { readonly collection: object }).deleteMany(of)).deletedCount;
    },
    mute: (id: string, types: readonly string[]) =>
      changed({ _id: id }, { $addToSet: { muted: { $each: [...types] } } }),
    unmute: (id: string, types: readonly string[]) => changed({ _id: id }, { $pull: { muted: { $in: [...types] } } }),
    /** The contact that a valid link belongs to: a confirmed one, or a pending one that has not expired. */
    findByToken: async (tokenSha256: string, now: Date): Promise<ProjectContact | null> =>
      mapped(
        await collection.findOne({
          token_sha256: tokenSha256,
          $or: [{ confirmed_at: { $ne: null } }, { link_expires_at: { $gt: now } }],
        }),
      ),
    /** Confirms an address; the time of the first call is kept. */
    confirm: async (tokenSha256: string, now: Date): Promise<ProjectContact | null> =>
      changed(
        { token_sha256: tokenSha256, confirmed_at: null, link_expires_at: { $gt: now } },
        { $set: { confirmed_at: now, "mail.state": "failed", "mail.due_at": null } },
      ),
    /** Replaces the token in a contact's link, because the key that it was derived from was removed. */
    setToken: async (id: string, tokenSha256: string): Promise<void> => {
      await collection.updateOne({ _id: id }, { $set: { token_sha256: tokenSha256 } });
    },
    /** Removes the contact of a link. */
    removeByToken: async (tokenSha256: string): Promise<boolean> =>
      (await collection.deleteOne({ token_sha256: tokenSha256 })).deletedCount === 1,
    /** The emails with links that are to be sent, for a worker. */
    openMails: (clock: () => Date): MailQueue<ProjectContactDocument> =>
      createMailQueue(model, { clock, path: "mail", where: { confirmed_at: null } }),
  };
}

export function contactFromDocument(document: ProjectContactDocument): ProjectContact {
  const { _id, token_sha256: _token, link_expires_at: _until, last_link_at: _last, mail: _mail, ...rest } = document;
  return { id: _id, ...rest };
}
