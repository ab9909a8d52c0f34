import { insertOnce } from "@platform/kit/store/documents";
import { type Connection, Schema } from "mongoose";
import type { HostedContinuation } from "../domain/hosted-continuation.ts";

type HostedContinuationDocument = Omit<HostedContinuation, "id"> & {
  _id: string;
  idempotency_key: string;
  idempotency_fingerprint: string;
  token_sha256: string;
};

const schema = new Schema<HostedContinuationDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    idempotency_key: { type: String, required: true },
    idempotency_fingerprint: { type: String, required: true },
    transaction_id: { type: String, required: true },
    token_sha256: { type: String, required: true },
    return_uri: { type: String, required: true },
    state: { type: String, required: true },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    browser_sha256: { type: String, default: null },
    flow_expires_at: { type: Date, default: null },
    outcome: { type: String, default: null },
  },
  { strict: "throw", versionKey: false, collection: "hosted_continuations" },
);
schema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
// Index for finding an erased person's transactions.
schema.index({ transaction_id: 1 });
// Continuations are kept for a week, so that an identical retry still recovers the one that it created.
schema.index({ created_at: 1 }, { expireAfterSeconds: 7 * 24 * 60 * 60 });

function fromDocument(document: HostedContinuationDocument): HostedContinuation {
  const { _id, idempotency_key: _key, idempotency_fingerprint: _print, token_sha256: _token, ...rest } = document;
  return { id: _id, ...rest };
}

export type StoredContinuation = { readonly continuation: HostedContinuation; readonly tokenSha256: string };
type Claim = { readonly key: string; readonly fingerprint: string };

/** Hosted continuations. Project backends create them for their client. Browsers, which have no client, present the continuation's own id. */
export type HostedContinuationStore = {
  insertOnce(
    clientId: string,
    continuation: HostedContinuation,
    tokenSha256: string,
    claim: Claim,
  ): Promise<StoredContinuation & { replayed: boolean }>;
  /** The continuation that this idempotency key created before, if the request is the same. */
  findClaimed(clientId: string, claim: Claim): Promise<StoredContinuation | null>;
  find(continuationId: string): Promise<HostedContinuation | null>;
  /**
   * Binds a continuation to the first browser that posts the right token in time. Returns null for every later
   * browser.
   */
  bindBrowser(
    continuationId: string,
    tokenSha256: string,
    browserSha256: string,
    flowExpiresAt: Date,
    now: Date,
  ): Promise<HostedContinuation | null>;
  /** The continuation with this token. */
  findByToken(continuationId: string, tokenSha256: string): Promise<HostedContinuation | null>;
  /** Ends a continuation. The first outcome is kept and returned. */
  settle(continuationId: string, outcome: "linked" | "cancelled"): Promise<"linked" | "cancelled">;
};

export function createHostedContinuationStore(connection: Connection): HostedContinuationStore {
  const model = connection.model<HostedContinuationDocument>("HostedContinuation", schema);
  const stored = (document: HostedContinuationDocument): StoredContinuation => ({
    continuation: fromDocument(document),
    tokenSha256: document.token_sha256,
  });
  const mapped = (document: HostedContinuationDocument | null): HostedContinuation | null =>
    document === null ? null : fromDocument(document);
  return {
    insertOnce: async (clientId, { id, ...rest }, tokenSha256, claim) => {
      const { document, replayed } = await insertOnce(model, {
        _id: id,
        ...rest,
        project_client_id: clientId,
        token_sha256: tokenSha256,
        idempotency_key: claim.key,
        idempotency_fingerprint: claim.fingerprint,
      });
      return { ...stored(document), replayed };
    },
    findClaimed: async (clientId, claim) => {
      const document = await model
        .findOne({ project_client_id: clientId, idempotency_key: claim.key })
        .lean<HostedContinuationDocument>();
      return document === null || document.idempotency_fingerprint !== claim.fingerprint ? null : stored(document);
    },
    find: async (continuationId) => mapped(await model.findById(continuationId).lean<HostedContinuationDocument>()),
    bindBrowser: async (continuationId, tokenSha256, browserSha256, flowExpiresAt, now) =>
      mapped(
        await model
          .findOneAndUpdate(
            {
              _id: continuationId,
              token_sha256: tokenSha256,
              browser_sha256: null,
              outcome: null,
              expires_at: { $gt: now },
            },
            { $set: { browser_sha256: browserSha256, flow_expires_at: flowExpiresAt } },
            { returnDocument: "after" },
          )
          .lean<HostedContinuationDocument>(),
      ),
    findByToken: async (continuationId, tokenSha256) =>
      mapped(
        await model.findOne({ _id: continuationId, token_sha256: tokenSha256 }).lean<HostedContinuationDocument>(),
      ),
    settle: async (continuationId, outcome) => {
      await model.updateOne({ _id: continuationId, outcome: null }, { $set: { outcome } });
      const settled = await model.findById(continuationId).lean<HostedContinuationDocument>();
      return settled?.outcome ?? outcome;
    },
  };
}
