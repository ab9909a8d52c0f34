import type { RoleName } from "@platform/kit/rpc/client";
import { collectionOf, isDuplicateKey } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";

/** An operator who is signed in. The secret is not in it: only its SHA-256 is kept. */
export type OperatorSession = {
  /** 32 lowercase hex characters. */
  readonly id: string;
  readonly subject: string;
  readonly name: string;
  readonly roles: readonly RoleName[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
};

type OperatorSessionDocument = Omit<OperatorSession, "id"> & {
  _id: string;
  secret_sha256: string;
  /** SHA-256 of what the ID token that opened it states, so that no form of the token opens a second one. */
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
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    ended_at: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false, collection: "operator_sessions" },
);
schema.index({ id_token_sha256: 1 }, { unique: true });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** Sessions of operators. */
export type OperatorSessionStore = {
  /** @returns false when the ID token has opened a session before */
  insert(session: OperatorSession, hashes: { secret: string; idToken: string }): Promise<boolean>;
  /** The session and the hash of its secret, or null. */
  findWithHash(id: string): Promise<{ session: OperatorSession; secretSha256: string } | null>;
  end(id: string, at: Date): Promise<void>;
};

export function createOperatorSessionStore(connection: Connection): OperatorSessionStore {
  const model = connection.model<OperatorSessionDocument>("OperatorSession", schema);
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
      const { _id, secret_sha256: secretSha256, id_token_sha256: _token, ...rest } = document;
      return { session: { id: _id, ...rest }, secretSha256 };
    },
    end: async (id, at) => {
      await model.updateOne({ _id: id, ended_at: null }, { $set: { ended_at: at } });
    },
  };
}
