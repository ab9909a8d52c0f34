import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { AccountMail, AccountMailKind } from "../domain/account-mail.ts";
import { verificationCodeFailuresMax } from "../domain/identity-migration-transaction.ts";
import { createMailQueue, type MailQueue } from "./mail-queue.ts";
import type { VerificationMailWork } from "./transaction-schema.ts";

export type AccountMailDocument = Omit<AccountMail, "id"> & {
  _id: string;
  /** HMAC of the code; null if the email has none. */
  code_hmac: string | null;
  code_failures: number;
  /** Time at which its code was used, or replaced by that of a newer email. */
  used_at: Date | null;
  mail: VerificationMailWork;
};

const required = { required: true } as const;

const schema = new Schema<AccountMailDocument>(
  {
    _id: { type: String, ...required },
    account_id: { type: String, ...required },
    email: { type: String, ...required },
    kind: { type: String, ...required },
    language: { type: String, ...required },
    created_at: { type: Date, ...required },
    expires_at: { type: Date, ...required },
    code_hmac: { type: String, default: null },
    code_failures: { type: Number, ...required },
    used_at: { type: Date, default: null },
    mail: {
      type: new Schema<VerificationMailWork>(
        { state: { type: String, ...required }, attempts: { type: Number, ...required }, due_at: { type: Date } },
        { _id: false, strict: "throw" },
      ),
      ...required,
    },
  },
  { strict: "throw", versionKey: false, collection: "account_mails" },
);
schema.index({ account_id: 1, _id: -1 });
schema.index({ "mail.due_at": 1 }, { sparse: true });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** Emails to owners of accounts, and the new addresses that some of them prove. */
export type AccountMailStore = {
  /** Queues an email. @param codeHmac HMAC of its code; null if it contains none */
  insert(mail: AccountMail, codeHmac: string | null): Promise<void>;
  /** The new address that an account is about to verify, successfully or not; null if there is none. */
  findNewAddress(accountId: string, now: Date): Promise<string | null>;
  /** Invalidates the codes of an account, and emails with a code that have not been sent. */
  endNewAddresses(accountId: string, now: Date): Promise<void>;
  /** Consumes a code, or counts a wrong one; the fifth wrong one invalidates it. @returns the address that it proves */
  useCode(
    accountId: string,
    isRight: (mailId: string, codeHmac: string) => boolean,
    now: Date,
  ): Promise<{ readonly email: string } | "wrong" | "dead">;
  /** The emails that are to be sent, for a worker. */
  openMails(clock: () => Date): MailQueue<AccountMailDocument>;
};

export function createAccountMailStore(connection: Connection): AccountMailStore {
  const model = connection.model<AccountMailDocument>("AccountMail", schema);
  const ofNewAddress: { kind: { $in: AccountMailKind[] } } = { kind: { $in: ["new_address", "address_taken"] } };
  const newest = (accountId: string, now: Date) =>
    model
      .findOne({ account_id: accountId, ...ofNewAddress, used_at: null, expires_at: { $gt: now } })
      .sort({ _id: -1 })
      .lean<AccountMailDocument>()
      .exec();
  return {
    insert: async ({ id, ...rest }, codeHmac) => {
      await collectionOf(model).insertOne({
        _id: id,
        ...rest,
        code_hmac: codeHmac,
        code_failures: 0,
        used_at: null,
        mail: { state: "queued", attempts: 0, due_at: rest.created_at },
      });
    },
    findNewAddress: async (accountId, now) => (await newest(accountId, now))?.email ?? null,
    endNewAddresses: async (accountId, now) => {
      await model.updateMany(
        { account_id: accountId, ...ofNewAddress, used_at: null },
        { $set: { used_at: now, "mail.state": "failed", "mail.due_at": null } },
      );
    },
    useCode: async (accountId, isRight, now) => {
      const document = await newest(accountId, now);
      if (document === null) return "dead";
      const { _id, email, code_hmac: stored } = document;
      // Attempts are counted before the comparison, by a write that also enforces the limit, so of fifty concurrent
      // attempts only five are compared.
      const counted = await model.updateOne(
        { _id, used_at: null, code_failures: { $lt: verificationCodeFailuresMax } },
        { $inc: { code_failures: 1 } },
      );
      if (counted.modifiedCount === 0) return "dead";
      if (stored === null || !isRight(_id, stored)) return "wrong";
      const used = await model.updateOne({ _id, used_at: null }, { $set: { used_at: now } });
      return used.modifiedCount === 0 ? "dead" : { email };
    },
    openMails: (clock) => createMailQueue(model, { clock, path: "mail", where: { used_at: null } }),
  };
}
