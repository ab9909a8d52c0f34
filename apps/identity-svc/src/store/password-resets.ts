import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { PasswordReset } from "../domain/password-reset.ts";
import { createMailQueue, type MailQueue } from "./mail-queue.ts";
import type { VerificationMailWork } from "./transaction-schema.ts";

export type PasswordResetDocument = Omit<PasswordReset, "id" | "account_id" | "email"> & {
  _id: string;
  /**
   * Null if no account has the address. Such a record has no effect; it is stored so that the response takes as long
   * as for a known address.
   */
  account_id: string | null;
  email: string | null;
  token_sha256: string;
  used_at: Date | null;
  mail: VerificationMailWork;
};

const required = { required: true } as const;

const schema = new Schema<PasswordResetDocument>(
  {
    _id: { type: String, ...required },
    account_id: { type: String, default: null },
    email: { type: String, default: null },
    language: { type: String, ...required },
    token_sha256: { type: String, ...required },
    created_at: { type: Date, ...required },
    expires_at: { type: Date, ...required },
    used_at: { type: Date, default: null },
    mail: {
      type: new Schema<VerificationMailWork>(
        { state: { type: String, ...required }, attempts: { type: Number, ...required }, due_at: { type: Date } },
        { _id: false, strict: "throw" },
      ),
      ...required,
    },
  },
  { strict: "throw", versionKey: false, collection: "password_resets" },
);
schema.index({ token_sha256: 1 }, { unique: true });
schema.index({ account_id: 1 });
schema.index({ "mail.due_at": 1 }, { sparse: true });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** Links for forgotten passwords. */
export type PasswordResetStore = {
  /** Stores a link and queues its email. Without an account, it stores a record of the same size that has no effect. */
  insert(reset: PasswordReset, tokenSha256: string): Promise<void>;
  insertForNobody(reset: Omit<PasswordReset, "account_id" | "email">, tokenSha256: string): Promise<void>;
  /** The link that a token belongs to, if it can be used. */
  findUsable(tokenSha256: string, now: Date): Promise<PasswordReset | null>;
  /** Consumes a link; null for a link that cannot be used, or that was consumed concurrently. */
  use(tokenSha256: string, now: Date): Promise<PasswordReset | null>;
  /** Invalidates all other links of an account. */
  endAllOf(accountId: string, now: Date): Promise<void>;
  /** The emails that are to be sent, for a worker. */
  openMails(clock: () => Date): MailQueue<PasswordResetDocument>;
};

export function createPasswordResetStore(connection: Connection): PasswordResetStore {
  const model = connection.model<PasswordResetDocument>("PasswordReset", schema);
  const mapped = (document: PasswordResetDocument | null): PasswordReset | null =>
    document === null ? null : resetFromDocument(document);
  const usable = (tokenSha256: string, now: Date) => ({
    token_sha256: tokenSha256,
    account_id: { $ne: null },
    used_at: null,
    expires_at: { $gt: now },
  });
  return {
    insert: async ({ id, ...rest }, tokenSha256) => {
      const mail = { state: "queued", attempts: 0, due_at: rest.created_at } as const;
      await collectionOf(model).insertOne({
        _id: id,
        ...rest,
        token_sha256: tokenSha256,
        used_at: null,
        mail,
      });
    },
    insertForNobody: async ({ id, ...rest }, tokenSha256) => {
      const mail = { state: "failed", attempts: 0, due_at: null } as const;
      const nobody = { account_id: null, email: null };
      await collectionOf(model).insertOne({
        _id: id,
        ...rest,
        ...nobody,
        token_sha256: tokenSha256,
        used_at: null,
        mail,
      });
    },
    findUsable: async (tokenSha256, now) =>
      mapped(await model.findOne(usable(tokenSha256, now)).lean<PasswordResetDocument>()),
    use: async (tokenSha256, now) =>
      mapped(
        await model
          .findOneAndUpdate(usable(tokenSha256, now), { $set: { used_at: now } }, { returnDocument: "after" })
          .lean<PasswordResetDocument>(),
      ),
    endAllOf: async (accountId, now) => {
      await model.updateMany(
        { account_id: accountId, used_at: null },
        { $set: { used_at: now, "mail.state": "failed", "mail.due_at": null } },
      );
    },
    openMails: (clock) => createMailQueue(model, { clock, path: "mail", where: { used_at: null } }),
  };
}

/** The link of a document; null for a record without an account. */
export function resetFromDocument(document: PasswordResetDocument): PasswordReset | null {
  if (document.account_id === null || document.email === null) return null;
  const { _id, account_id, email, language, created_at, expires_at } = document;
  return { id: _id, account_id, email, language, created_at, expires_at };
}
