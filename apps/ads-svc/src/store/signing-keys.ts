import { collectionOf, insertOrFind } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { KeyLife } from "../domain/signing-key.ts";

/** A stored signing key. The public half is a JWK in JSON; the private half is encrypted. */
export type StoredSigningKey = KeyLife & {
  readonly publicJwkJson: string;
  /** The private half as an encrypted JWK. Null once it is no longer needed. */
  readonly sealedPrivateJwk: string | null;
};

type SigningKeyDocument = {
  _id: string;
  generation: number;
  public_jwk_json: string;
  sealed_private_jwk: string | null;
  created_at: Date;
  revoked_at: Date | null;
};

const schema = new Schema<SigningKeyDocument>(
  {
    _id: { type: String, required: true },
    generation: { type: Number, required: true },
    public_jwk_json: { type: String, required: true },
    sealed_private_jwk: { type: String, default: null },
    created_at: { type: Date, required: true },
    revoked_at: { type: Date, default: null },
  },
  { strict: "throw", versionKey: false, collection: "signing_keys" },
);
schema.index({ generation: 1 }, { unique: true });

export type SigningKeyStore = ReturnType<typeof createSigningKeyStore>;

/** Stores signing keys. The one with the highest generation signs. */
export function createSigningKeyStore(connection: Connection) {
  const model = connection.model("SigningKey", schema);
  return {
    /** Lists all keys, newest first. */
    listSigningKeys: async (): Promise<StoredSigningKey[]> => {
      const rows = await model.find({}).sort({ generation: -1 }).lean();
      return rows.map(fromDocument);
    },
    /** Inserts a key as the newest one. Returns false if another key took its generation first. */
    insertSigningKey: async (key: StoredSigningKey): Promise<boolean> => {
      const document = toDocument(key);
      const insert = () => collectionOf(model).insertOne(document);
      const findHolder = () => model.findOne({ generation: key.generation }).lean<SigningKeyDocument>().exec();
      return (await insertOrFind(document, insert, findHolder)) === null;
    },
    /** Revokes a key that is not revoked yet, and erases its private half. */
    revokeSigningKey: async (kid: string, now: Date): Promise<void> => {
      await model.updateOne({ _id: kid, revoked_at: null }, { $set: { revoked_at: now, sealed_private_jwk: null } });
    },
    /** Erases the private half of a key. */
    erasePrivateHalf: async (kid: string): Promise<void> => {
      await model.updateOne({ _id: kid }, { $set: { sealed_private_jwk: null } });
    },
  };
}

function toDocument(key: StoredSigningKey): SigningKeyDocument {
  return {
    _id: key.kid,
    generation: key.generation,
    public_jwk_json: key.publicJwkJson,
    sealed_private_jwk: key.sealedPrivateJwk,
    created_at: key.createdAt,
    revoked_at: key.revokedAt,
  };
}

function fromDocument(row: SigningKeyDocument): StoredSigningKey {
  return {
    kid: row._id,
    generation: row.generation,
    publicJwkJson: row.public_jwk_json,
    sealedPrivateJwk: row.sealed_private_jwk,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}
