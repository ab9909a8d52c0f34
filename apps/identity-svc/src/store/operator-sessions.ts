import type { RoleName } from "@platform/kit/rpc/client";
import { collectionOf, isDuplicateKey, type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

/** A signed-in operator. The record does not contain the secret, only its SHA-256. */
export type OperatorSession = {
  /** The id, which consists of 32 lowercase hex characters. */
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly roles: readonly RoleName[];
  /** Time at which the person authenticated. A session of the previous version has none, and `created_at` is used. */
  readonly signed_in_at?: Date;
  readonly last_seen_at?: Date;
  /** Source network of the sign-in; missing if it is unknown. */
  readonly network?: string;
  /** The provider's own session, which a back-channel logout refers to. */
  readonly provider_sid?: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
};

type OperatorSessionDocument = Omit<OperatorSession, "id"> & {
  _id: string;
  secret_sha256: string;
  /** SHA-256 of the contents of the ID token that opened it, so that no other form of the token opens a second session. */
  id_token_sha256: string;
};

const text = { type: String, required: true } as const;

const schema = new Schema<OperatorSessionDocument>(
  {
    _id: text,
    subject: text,
    name: text,
    roles: { type: [String], required: true },
    secret_sha256: text,
    id_token_sha256: text,
    signed_in_at: Date,
    last_seen_at: Date,
    network: String,
    provider_sid: String,
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    ended_at: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false, collection: "operator_sessions" },
);
schema.index({ id_token_sha256: 1 }, { unique: true });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
schema.index({ ended_at: 1, created_at: -1, _id: -1 });
schema.index({ subject: 1, ended_at: 1 });
schema.index({ provider_sid: 1 }, { sparse: true });

/** Sessions of operators. */
export type OperatorSessionStore = {
  /** @returns false if the ID token has already opened a session */
  insert(session: OperatorSession, hashes: { secret: string; idToken: string }): Promise<boolean>;
  /** The session and the hash of its secret, or null. */
  findWithHash(id: string): Promise<{ session: OperatorSession; secretSha256: string } | null>;
  /** Ends a session; the time of the first call is kept. @returns how many were open */
  end(id: string, at: Date): Promise<number>;
  /** Ends every session of a person. @returns how many were open */
  endOf(subject: string, at: Date): Promise<number>;
  /** Ends those sessions of a person that carry no role on the platform. @returns how many were open */
  endOfMember(subject: string, at: Date): Promise<number>;
  /** Ends the sessions that one session at the provider opened. @returns how many were open */
  endOfProviderSession(providerSid: string, at: Date): Promise<number>;
  /** Records that a session was used, accurate to the minute. */
  noteSeen(session: OperatorSession, at: Date): Promise<void>;
  /** A page of the open sessions of people with a role on the platform, newest first. */
  listOfOperators(now: Date, page: PageRequest): Promise<Page<OperatorSession>>;
  /** A page of the open sessions of the given people, who have no role on the platform, newest first. */
  listOfMembers(subjects: readonly string[], now: Date, page: PageRequest): Promise<Page<OperatorSession>>;
};

const seenMs = 60_000;

export function createOperatorSessionStore(connection: Connection): OperatorSessionStore {
  const model = connection.model<OperatorSessionDocument>("OperatorSession", schema);
  const end = async (filter: object, at: Date): Promise<number> => {
    const { modifiedCount } = await model.updateMany({ ...filter, ended_at: null }, { $set: { ended_at: at } });
    return modifiedCount;
  };
  const list = async (filter: object, now: Date, page: PageRequest): Promise<Page<OperatorSession>> => {
    const open = { ...filter, ended_at: null, expires_at: { $gt: now } };
    const { items, nextCursor } = await readPage<OperatorSessionDocument>(model, open, page);
    return { items: items.map(fromDocument), nextCursor };
  };
  return {
    insert: async ({ id, ...rest }, { secret, idToken }) => {
      const document = { _id: id, ...rest, secret_sha256: secret, id_token_sha256: idToken };
      try {
        await collectionOf(model).insertOne(document);
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    findWithHash: async (id) => {
      const document = await model.findById(id).lean<OperatorSessionDocument>();
      if (document === null) return null;
      return { session: fromDocument(document), secretSha256: document.secret_sha256 };
    },
    end: (id, at) => end({ _id: id }, at),
    endOf: (subject, at) => end({ subject }, at),
    endOfMember: (subject, at) => end({ subject, roles: [] }, at),
    endOfProviderSession: (providerSid, at) => end({ provider_sid: providerSid }, at),
    noteSeen: async ({ id, last_seen_at: seen }, at) => {
      if (seen !== undefined && at.getTime() - seen.getTime() < seenMs) return;
      await model.updateOne({ _id: id }, { $set: { last_seen_at: at } });
    },
    listOfOperators: (now, page) => list({ roles: { $ne: [] } }, now, page),
    listOfMembers: (subjects, now, page) => list({ subject: { $in: [...subjects] }, roles: [] }, now, page),
  };
}

function fromDocument({ _id, secret_sha256: _secret, id_token_sha256: _token, ...rest }: OperatorSessionDocument) {
  return { id: _id, ...rest } satisfies OperatorSession;
}
