import { defined } from "@platform/kit/process/fields";
import {
  collectionOf,
  indexOutbox,
  type OutboxFields,
  oldestFirst,
  outboxAfter,
  outboxSchema,
  type Page,
  type PageRequest,
  readPage,
  withFact,
} from "@platform/kit/store/documents";
import type { PlatformFact } from "@platform/operator-plane/platform-events";
import { type Connection, type Model, Schema } from "mongoose";
import type { CredentialUse, ProjectCredential } from "../domain/project-credential.ts";

type ProjectCredentialDocument = Omit<ProjectCredential, "id" | "scopes"> &
  OutboxFields & {
    /** How many days before the expiry the client was notified, for each notice. */
    expiry_told_days?: number[];
    _id: string;
    scopes: readonly string[];
    /** SHA-256 of the secret's 64 hex characters, as hex. */
    secret_sha256: string;
  };

const schema = new Schema<ProjectCredentialDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    name: { type: String, default: "" },
    scopes: { type: [String], required: true },
    secret_sha256: { type: String, required: true },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, default: null },
    revoked_at: { type: Date, default: null },
    last_used_at: { type: Date, default: null },
    last_used_network: String,
    rotated_to_id: { type: String, default: null },
    expiry_told_days: { type: [Number], default: undefined },
    ...outboxSchema,
  },
  { strict: "throw", versionKey: false, collection: "project_credentials" },
);
schema.index({ project_client_id: 1, created_at: 1, _id: 1 });
schema.index({ created_at: 1, _id: 1 });
schema.index({ expires_at: 1, _id: 1 });
indexOutbox(schema);

function fromDocument({
  _id,
  secret_sha256: _secret,
  expiry_told_days: _told,
  platform_events: _events,
  platform_events_due_at: _eventsDue,
  ...rest
}: ProjectCredentialDocument): ProjectCredential {
  return { id: _id, ...rest };
}

/** Project Credentials. A presented credential identifies its client, so these functions start from the credential's own id. */
export type ProjectCredentialStore = {
  /** Stores a credential, and by the same write the fact that it was issued. */
  insert(credential: ProjectCredential, secretSha256: string, issued: PlatformFact): Promise<void>;
  /** The credential and its stored hash (64 hex characters), or null. */
  findWithHash(credentialId: string): Promise<{ credential: ProjectCredential; secretSha256: string } | null>;
  find(credentialId: string): Promise<ProjectCredential | null>;
  /** A page of the credentials of one client, or of all clients, oldest first. */
  list(clientId: string | null, page: PageRequest): Promise<Page<ProjectCredential>>;
  /** A page of the credentials that expire before a time and are not revoked, the first to expire first. */
  listExpiring(
    clientId: string | null,
    span: { readonly now: Date; readonly by: Date },
    page: PageRequest,
  ): Promise<Page<ProjectCredential>>;
  /** Revokes a credential; the time of the first call is kept. Null if there is none. */
  revoke(credentialId: string, at: Date): Promise<ProjectCredential | null>;
  /**
   * Records a successor and brings the expiry forward. Null if the credential was revoked, has expired or already has a
   * successor.
   */
  markRotated(credentialId: string, successorId: string, expiresAt: Date, now: Date): Promise<ProjectCredential | null>;
  /** Removes a successor that lost against a concurrent rotation and was never shown to anyone. */
  remove(credentialId: string): Promise<void>;
  /**
   * Usable credentials that expire before a time and whose client has not yet received the notice for this number of
   * days.
   */
  findExpiringUntold(days: number, span: { now: Date; until: Date }, limit: number): Promise<ProjectCredential[]>;
  /** Records that a client received a notice about the expiry of a credential. */
  tellExpiring(credentialId: string, days: number, fact: PlatformFact): Promise<void>;
  /** Records when and from where credentials were last used. A later time that is already recorded is kept. */
  noteUses(uses: ReadonlyMap<string, CredentialUse>): Promise<void>;
};

export function projectCredentialModel(connection: Connection): Model<ProjectCredentialDocument> {
  return connection.model<ProjectCredentialDocument>("ProjectCredential", schema);
}

export function createProjectCredentialStore(connection: Connection): ProjectCredentialStore {
  const model = projectCredentialModel(connection);
  const mapped = (document: ProjectCredentialDocument | null): ProjectCredential | null =>
    document === null ? null : fromDocument(document);
  const find = async (credentialId: string): Promise<ProjectCredential | null> =>
    mapped(await model.findById(credentialId).lean<ProjectCredentialDocument>());
  return {
    insert: async ({ id, ...rest }, secretSha256, issued) => {
      const outbox = outboxAfter({}, issued);
      await collectionOf(model).insertOne({ _id: id, ...rest, secret_sha256: secretSha256, ...outbox });
    },
    findWithHash: async (credentialId) => {
      const document = await model.findById(credentialId).lean<ProjectCredentialDocument>();
      if (document === null) return null;
      return { credential: fromDocument(document), secretSha256: document.secret_sha256 };
    },
    find,
    list: async (clientId, page) => {
      const filter = defined({ project_client_id: clientId });
      const { items, nextCursor } = await readPage<ProjectCredentialDocument>(model, filter, page, {
        order: oldestFirst,
      });
      return { items: items.map(fromDocument), nextCursor };
    },
    listExpiring: async (clientId, { now, by }, page) => {
      const filter = { revoked_at: null, ...defined({ project_client_id: clientId }) };
      const { items, nextCursor } = await readPage<ProjectCredentialDocument>(model, filter, page, {
        order: { by: "expires_at", direction: 1 },
        span: { since: now, until: by },
      });
      return { items: items.map(fromDocument), nextCursor };
    },
    revoke: async (credentialId, at) => {
      const revoked = await model
        .findOneAndUpdate(
          { _id: credentialId, revoked_at: null },
          { $set: { revoked_at: at } },
          { returnDocument: "after" },
        )
        .lean<ProjectCredentialDocument>();
      return revoked === null ? find(credentialId) : fromDocument(revoked);
    },
    markRotated: async (credentialId, successorId, expiresAt, now) => {
      // $min would keep null, which sorts before every date, so credentials without an expiry get a separate update.
      const open = { _id: credentialId, revoked_at: null, rotated_to_id: null };
      const ended = { $set: { rotated_to_id: successorId, expires_at: expiresAt } };
      const kept = { $set: { rotated_to_id: successorId } };
      const after = { returnDocument: "after" } as const;
      return mapped(
        (await model
          .findOneAndUpdate({ ...open, $or: [{ expires_at: null }, { expires_at: { $gt: expiresAt } }] }, ended, after)
          .lean<ProjectCredentialDocument>()) ??
          (await model
            .findOneAndUpdate({ ...open, expires_at: { $gt: now, $lte: expiresAt } }, kept, after)
            .lean<ProjectCredentialDocument>()),
      );
    },
    remove: async (credentialId) => {
      await model.deleteOne({ _id: credentialId });
    },
    findExpiringUntold: async (days, { now, until }, limit) => {
      const documents = await model
        .find({
          revoked_at: null,
          expires_at: { $gt: now, $lte: until },
          expiry_told_days: { $ne: days },
        })
        .limit(limit)
        .lean<ProjectCredentialDocument[]>();
      return documents.map(fromDocument);
    },
    tellExpiring: async (credentialId, days, fact) => {
      const update = withFact({ $addToSet: { expiry_told_days: days } }, fact);
      await model.updateOne({ _id: credentialId, expiry_told_days: { $ne: days } }, update);
    },
    noteUses: async (uses) => {
      if (uses.size === 0) return;
      await model.bulkWrite(
        [...uses].map(([id, { at, network }]) => ({
          updateOne: {
            filter: { _id: id, $or: [{ last_used_at: null }, { last_used_at: { $lt: at } }] },
            update: { $set: { last_used_at: at, ...(network === "" ? {} : { last_used_network: network }) } },
          },
        })),
        { ordered: false },
      );
    },
  };
}
