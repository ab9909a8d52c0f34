import { deriveToken, hashToken, type Keyring, keyIdOf, newId, recoverToken } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { insertOnce } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";
import { downloadGrantKeptMs, downloadGrantMs } from "../domain/limits.ts";

type DownloadGrantDocument = {
  _id: string;
  project_client_id: string;
  file_object_id: string;
  idempotency_key: string;
  idempotency_fingerprint: string;
  token_hash: string;
  /** Id of the service key from which the token is derived. Only earlier versions read it. */
  token_key_id: string;
  created_at: Date;
  expires_at: Date;
  forget_at: Date;
};

const purpose = "download-grant";

const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

const schema = new Schema<DownloadGrantDocument>(
  {
    _id: text,
    project_client_id: text,
    file_object_id: text,
    idempotency_key: text,
    idempotency_fingerprint: text,
    token_hash: text,
    token_key_id: text,
    created_at: date,
    expires_at: date,
    forget_at: date,
  },
  { collection: "download_grants", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
schema.index({ token_hash: 1 }, { unique: true });
schema.index({ forget_at: 1 }, { expireAfterSeconds: 0 });

export type DownloadGrantModel = Model<DownloadGrantDocument>;

export function downloadGrantModel(connection: Connection): DownloadGrantModel {
  return connection.model<DownloadGrantDocument>("DownloadGrant", schema);
}

/** A grant in the form that its holder receives. */
export type DownloadGrant = { readonly id: string; readonly token: string; readonly expiresAt: Date };

export type DownloadGrantStore = ReturnType<typeof createDownloadGrantStore>;

/**
 * Stores download grants. Only the hash of a token is stored; the token itself is derived from the service key
 * whenever it is needed.
 */
export function createDownloadGrantStore(model: DownloadGrantModel, keyring: Keyring, clock: () => Date) {
  return {
    /**
     * Grants downloads of a File Object, or recovers the grant that this key created before.
     * @throws ServiceError idempotency_key_reused, also if the service key from which the token was derived was
     * removed from the ring
     */
    grant: async (
      clientId: string,
      fileObjectId: string,
      claim: { readonly key: string; readonly fingerprint: string },
    ): Promise<{ grant: DownloadGrant; replayed: boolean }> => {
      const id = newId();
      const now = clock().getTime();
      const stored = await insertOnce(model, {
        _id: id,
        project_client_id: clientId,
        file_object_id: fileObjectId,
        idempotency_key: claim.key,
        idempotency_fingerprint: claim.fingerprint,
        token_hash: hashToken(deriveToken(keyring.current, purpose, id)),
        token_key_id: keyIdOf(keyring.current),
        created_at: new Date(now),
        expires_at: new Date(now + downloadGrantMs),
        forget_at: new Date(now + downloadGrantMs + downloadGrantKeptMs),
      });
      const { document } = stored;
      const token = recoverToken(keyring, purpose, document._id, document.token_hash);
      // The token cannot be derived again, so repeating the request would not help.
      if (token === null)
        throw new ServiceError(
          "idempotency_key_reused",
          "The download this Idempotency-Key granted can no longer be recovered; use a new key for another grant.",
        );
      return {
        grant: { id: document._id, token, expiresAt: document.expires_at },
        replayed: stored.replayed,
      };
    },

    /**
     * Returns the File Object and the owner to which a token belongs, or null if the token is unknown or has expired.
     */
    findByToken: async (token: string): Promise<{ clientId: string; fileObjectId: string } | null> => {
      const document = await model
        .findOne({ token_hash: hashToken(token), expires_at: { $gt: clock() } })
        .lean<DownloadGrantDocument>();
      return document === null ? null : { clientId: document.project_client_id, fileObjectId: document.file_object_id };
    },
  };
}
