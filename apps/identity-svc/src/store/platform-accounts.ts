import { collectionOf, insertOrFind, isDuplicateKey } from "@platform/kit/store/documents";
import { normalizeEmail, storedEmailForms } from "@platform/kit/web/mail";
import { type Connection, Schema } from "mongoose";
import type { LoginIdentifier, PlatformAccount } from "../domain/platform-account.ts";

type PlatformAccountDocument = Omit<PlatformAccount, "id" | "login_identifiers"> & {
  _id: string;
  login_identifiers: readonly LoginIdentifier[];
  /** The argon2id hash of the password, in the PHC string form. */
  password_hash: string;
  /** True if the account belonged to an erased person. */
  erased?: true;
};

const identifierSchema = new Schema<LoginIdentifier>(
  { email: { type: String, required: true }, verified_at: { type: Date, default: null } },
  { _id: false, strict: "throw" },
);

const schema = new Schema<PlatformAccountDocument>(
  {
    _id: { type: String, required: true },
    password_hash: { type: String, required: true },
    login_identifiers: { type: [identifierSchema], required: true },
    created_at: { type: Date, required: true },
    unproven_until: { type: Date, default: null },
    sessions_ended_at: { type: Date, default: null },
    disabled_at: { type: Date, default: null },
    erased: Boolean,
  },
  { strict: "throw", versionKey: false, collection: "platform_accounts" },
);
// An address belongs to at most one account. Registrations with an unverified address have no identifier yet, so they
// do not reserve the address.
schema.index(
  { "login_identifiers.email": 1 },
  { unique: true, partialFilterExpression: { "login_identifiers.email": { $exists: true } } },
);
schema.index({ unproven_until: 1 }, { expireAfterSeconds: 0 });

function fromDocument(document: PlatformAccountDocument): PlatformAccount {
  const { _id, password_hash: _hash, login_identifiers, ...rest } = document;
  const identifiers = login_identifiers.map(({ email, verified_at }) => ({
    email: normalizeEmail(email),
    verified_at,
  }));
  // Records that were stored before password resets and disabled accounts were introduced lack these times.
  return {
    id: _id,
    login_identifiers: identifiers,
    ...rest,
    sessions_ended_at: rest.sessions_ended_at ?? null,
    disabled_at: rest.disabled_at ?? null,
  };
}

/** Platform Accounts and their Login Identifiers. */
export type PlatformAccountStore = {
  /** @returns false if another account has one of its addresses; nothing is stored then */
  insert(account: PlatformAccount, passwordHash: string): Promise<boolean>;
  find(accountId: string): Promise<PlatformAccount | null>;
  findPasswordHash(accountId: string): Promise<string | null>;
  /** The account that signs in with a normalized address, and its password hash. */
  findByEmail(email: string): Promise<{ account: PlatformAccount; passwordHash: string } | null>;
  /**
   * Gives the account an address whose owner has proven it. Repeating the call changes nothing.
   * @returns false if another account has it
   */
  addProvenEmail(accountId: string, email: string, at: Date): Promise<boolean>;
  /**
   * Replaces the account's only address by a proven one.
   * @returns false if the account has another address by now, or if another account has the new one
   */
  replaceEmail(accountId: string, former: string, email: string, at: Date): Promise<boolean>;
  /**
   * Disables sign-in, and ends its sessions by the same write; the time of the first call is kept. Null if there is no
   * such account.
   */
  disable(accountId: string, at: Date): Promise<PlatformAccount | null>;
  enable(accountId: string): Promise<PlatformAccount | null>;
  /** Sets a new password, and ends every session that was authenticated before by the same write. */
  setPassword(accountId: string, passwordHash: string, at: Date): Promise<void>;
};

export function createPlatformAccountStore(connection: Connection): PlatformAccountStore {
  const model = connection.model<PlatformAccountDocument>("PlatformAccount", schema);
  /** The account that has one of these addresses in any stored form, other than `exceptId`; null if there is none. */
  const findHolder = (emails: readonly string[], exceptId: string | null) =>
    model
      .findOne({
        ...(exceptId === null ? {} : { _id: { $ne: exceptId } }),
        "login_identifiers.email": { $in: emails.flatMap(storedEmailForms) },
      })
      .lean<PlatformAccountDocument>()
      .exec();
  /**
   * Returns whether another account has the address in an earlier form, which the unique index treats as different.
   * New records never have such a form.
   */
  const isHeldInEarlierForm = async (email: string, byOthersThan: string): Promise<boolean> =>
    storedEmailForms(email).length > 1 && (await findHolder([email], byOthersThan)) !== null;
  const find = async (accountId: string): Promise<PlatformAccount | null> => {
    const document = await model.findById(accountId).lean<PlatformAccountDocument>();
    return document === null ? null : fromDocument(document);
  };
  return {
    insert: async ({ id, ...rest }, passwordHash) => {
      const emails = rest.login_identifiers.map(({ email }) => email);
      for (const email of emails) if (await isHeldInEarlierForm(email, id)) return false;
      const document = { _id: id, ...rest, password_hash: passwordHash };
      const insert = () => collectionOf(model).insertOne(document);
      return (await insertOrFind(document, insert, () => findHolder(emails, id))) === null;
    },
    find,
    findPasswordHash: async (accountId) => {
      const document = await model.findById(accountId).lean<PlatformAccountDocument>();
      return document?.password_hash ?? null;
    },
    findByEmail: async (email) => {
      const document = await findHolder([email], null);
      return document === null ? null : { account: fromDocument(document), passwordHash: document.password_hash };
    },
    addProvenEmail: async (accountId, email, at) => {
      if (await isHeldInEarlierForm(email, accountId)) return false;
      try {
        await model.updateOne(
          { _id: accountId, "login_identifiers.email": { $nin: storedEmailForms(email) } },
          { $push: { login_identifiers: { email, verified_at: at } }, $set: { unproven_until: null } },
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error) && (await findHolder([email], accountId)) !== null) return false;
        throw error;
      }
    },
    replaceEmail: async (accountId, former, email, at) => {
      if (await isHeldInEarlierForm(email, accountId)) return false;
      try {
        const { matchedCount } = await model.updateOne(
          {
            _id: accountId,
            "login_identifiers.0.email": { $in: storedEmailForms(former) },
            "login_identifiers.1": { $exists: false },
          },
          { $set: { login_identifiers: [{ email, verified_at: at }] } },
        );
        return matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error) && (await findHolder([email], accountId)) !== null) return false;
        throw error;
      }
    },
    disable: async (accountId, at) => {
      await model.updateOne(
        { _id: accountId, disabled_at: null },
        { $set: { disabled_at: at, sessions_ended_at: at } },
      );
      return find(accountId);
    },
    enable: async (accountId) => {
      await model.updateOne({ _id: accountId }, { $set: { disabled_at: null } });
      return find(accountId);
    },
    setPassword: async (accountId, passwordHash, at) => {
      await model.updateOne({ _id: accountId }, { $set: { password_hash: passwordHash, sessions_ended_at: at } });
    },
  };
}
