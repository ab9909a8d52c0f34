import { collectionOf } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import { type PlatformSession, sessionIdleSeconds, sessionSeenEverySeconds } from "../domain/platform-session.ts";

type PlatformSessionDocument = Omit<PlatformSession, "id"> & {
  _id: string;
  /** SHA-256 of the secret's 64 hex characters, as hex. */
  secret_sha256: string;
};

const schema = new Schema<PlatformSessionDocument>(
  {
    _id: { type: String, required: true },
    account_id: { type: String, required: true },
    secret_sha256: { type: String, required: true },
    created_at: { type: Date, required: true },
    authenticated_at: { type: Date, required: true },
    last_seen_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false, collection: "platform_sessions" },
);
schema.index({ account_id: 1, _id: -1 });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

function fromDocument({ _id, secret_sha256: _secret, ...rest }: PlatformSessionDocument): PlatformSession {
  return { id: _id, ...rest };
}

/** Stores Platform Sessions. */
export type PlatformSessionStore = {
  insert(session: PlatformSession, secretSha256: string): Promise<void>;
  /** The session and its stored hash (64 hex characters), or null. */
  findWithHash(sessionId: string): Promise<{ session: PlatformSession; secretSha256: string } | null>;
  find(sessionId: string): Promise<PlatformSession | null>;
  /** Lists the usable sessions of an account, newest first. */
  listUsable(accountId: string, now: Date): Promise<PlatformSession[]>;
  /** Writes last_seen_at if enough time has passed; a session that has ended is not changed. */
  noteSeen(session: PlatformSession, now: Date): Promise<void>;
  /** Ends the open sessions of an account and returns their ids. */
  revokeAllOf(accountId: string, at: Date): Promise<string[]>;
  /** Ends a session; null if there is none. */
  revoke(sessionId: string, at: Date): Promise<PlatformSession | null>;
};

export function createPlatformSessionStore(connection: Connection): PlatformSessionStore {
  const model = connection.model<PlatformSessionDocument>("PlatformSession", schema);
  const find = async (sessionId: string): Promise<PlatformSession | null> => {
    const document = await model.findById(sessionId).lean<PlatformSessionDocument>();
    return document === null ? null : fromDocument(document);
  };
  return {
    insert: async ({ id, ...rest }, secretSha256) => {
      await collectionOf(model).insertOne({ _id: id, ...rest, secret_sha256: secretSha256 });
    },
    findWithHash: async (sessionId) => {
      const document = await model.findById(sessionId).lean<PlatformSessionDocument>();
      if (document === null) return null;
      return { session: fromDocument(document), secretSha256: document.secret_sha256 };
    },
    find,
    listUsable: async (accountId, now) => {
      const idleSince = new Date(now.getTime() - sessionIdleSeconds * 1000);
      const documents = await model
        .find({
          account_id: accountId,
          revoked_at: null,
          expires_at: { $gt: now },
          last_seen_at: { $gt: idleSince },
        })
        .sort({ _id: -1 })
        .limit(500)
        .lean<PlatformSessionDocument[]>();
      return documents.map(fromDocument);
    },
    noteSeen: async (session, now) => {
      if (now.getTime() - session.last_seen_at.getTime() < sessionSeenEverySeconds * 1000) return;
      await model.updateOne(
        { _id: session.id, revoked_at: null, last_seen_at: { $lt: now } },
        { $set: { last_seen_at: now } },
      );
    },
    revokeAllOf: async (accountId, at) => {
      const open = await model
        .find({ account_id: accountId, revoked_at: null, expires_at: { $gt: at } }, { _id: 1 })
        .lean<{ _id: string }[]>();
      const ids = open.map(({ _id }) => _id);
      await model.updateMany({ _id: { $in: ids }, revoked_at: null }, { $set: { revoked_at: at } });
      return ids;
    },
    revoke: async (sessionId, at) => {
      await model.updateOne({ _id: sessionId, revoked_at: null }, { $set: { revoked_at: at } });
      return find(sessionId);
    },
  };
}
