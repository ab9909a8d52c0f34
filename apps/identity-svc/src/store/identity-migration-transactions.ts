import { defined } from "@platform/kit/process/fields";
import { constantTimeEqual } from "@platform/kit/process/secrets";
import {
  insertOnce,
  isDuplicateKey,
  isStoreFailure,
  type Page,
  type PageRequest,
  readPage,
  retryWrite,
  withFact,
} from "@platform/kit/store/documents";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { PlatformFact } from "@platform/operator-plane/platform-events";
import type { Connection, Model } from "mongoose";
import {
  flowTokenFailuresMax,
  type IdentityMigrationTransaction,
  type TransactionStatus,
  transactionKeptMs,
  transactionLifetimeMsMax,
} from "../domain/identity-migration-transaction.ts";
import { type TransactionDocument, transactionFromDocument, transactionSchema } from "./transaction-schema.ts";

/** Limits the size of an erasure; nobody is migrated this often. */
const subjectsMax = 1_000;

type Claim = { readonly key: string; readonly fingerprint: string };
type StoredTransaction = { readonly transaction: IdentityMigrationTransaction; readonly flowTokenSha256: string };

/** Identity Migration Transactions. Every transition is one write whose filter contains the required state, time and token. */
export type TransactionStore = {
  insertOnce(
    clientId: string,
    transaction: IdentityMigrationTransaction,
    flowTokenSha256: string,
    claim: Claim,
  ): Promise<StoredTransaction & { replayed: boolean }>;
  /** Returns what this idempotency key created before, if the request is the same. */
  findClaimed(clientId: string, claim: Claim): Promise<StoredTransaction | null>;
  find(clientId: string, transactionId: string): Promise<IdentityMigrationTransaction | null>;
  /**
   * Finds a transaction for callers without a Project Client: people admitted by the flow token or their browser's
   * binding.
   */
  findForPerson(transactionId: string): Promise<IdentityMigrationTransaction | null>;
  /** Admits the holder of the flow token; counts a wrong one, up to the lock. */
  checkFlowToken(
    transactionId: string,
    flowTokenSha256: string,
  ): Promise<{ verdict: "right"; transaction: IdentityMigrationTransaction } | { verdict: FlowTokenRefusal }>;
  /** pending → link_pending. Returns null if it expired, changed its state, or (if requested) has no evidence of this account. */
  link(
    transactionId: string,
    accountId: string,
    needsEvidence: boolean,
    now: Date,
    fact: PlatformFact | null,
  ): Promise<IdentityMigrationTransaction | null>;
  /**
   * link_pending → completed. Returns null if it expired or changed its state, and `subject_taken` if the legacy
   * subject was completed by another transaction.
   */
  complete(
    clientId: string,
    transactionId: string,
    now: Date,
    fact: PlatformFact | null,
  ): Promise<IdentityMigrationTransaction | "subject_taken" | null>;
  /** Expired transactions of some clients for which the client has not been notified yet. */
  findExpiredUntold(clientIds: readonly string[], now: Date, limit: number): Promise<IdentityMigrationTransaction[]>;
  /** Records that an expired transaction was reported. */
  tellExpired(clientId: string, transactionId: string, fact: PlatformFact): Promise<void>;
  /** Annuls a transaction in any state; its legacy subject may complete again. Null if there is none. */
  annul(transactionId: string, now: Date): Promise<IdentityMigrationTransaction | null>;
  /**
   * The legacy subjects, in any client, that the account was linked to or for which one of the addresses was
   * asserted. Addresses are normalized.
   */
  listSubjects(accountId: string | null, emails: readonly string[]): Promise<{ clientId: string; subject: string }[]>;
  /** The transactions that an account is or was linked to, in any client; at most 1,000. */
  listOfAccount(accountId: string): Promise<IdentityMigrationTransaction[]>;
  /** A page of transactions, newest first. */
  list(filter: TransactionFilter, page: PageRequest, now: Date): Promise<Page<IdentityMigrationTransaction>>;
};

/** Filter for a list of transactions; null matches everything. `email` is normalized. */
export type TransactionFilter = {
  readonly projectClientId: string | null;
  readonly legacySubject: string | null;
  readonly email: string | null;
  readonly status: TransactionStatus | null;
};

export type FlowTokenRefusal = "absent" | "wrong" | "locked";

/** The model shared by the stores of transactions and of verifications. */
export function transactionModel(connection: Connection): Model<TransactionDocument> {
  return connection.model<TransactionDocument>("IdentityMigrationTransaction", transactionSchema);
}

export function createTransactionStore(model: Model<TransactionDocument>): TransactionStore {
  const mapped = (document: TransactionDocument | null): IdentityMigrationTransaction | null =>
    document === null ? null : transactionFromDocument(document);
  const stored = (document: TransactionDocument): StoredTransaction => ({
    transaction: transactionFromDocument(document),
    flowTokenSha256: document.flow_token_sha256,
  });
  const find = async (clientId: string, transactionId: string): Promise<IdentityMigrationTransaction | null> =>
    mapped(await model.findOne({ _id: transactionId, project_client_id: clientId }).lean<TransactionDocument>());
  /** Returns whether another transaction of the client has completed with the legacy subject of this one. */
  const isSubjectTaken = async (clientId: string, transactionId: string): Promise<boolean> => {
    const own = await find(clientId, transactionId);
    if (own === null) return false;
    const { legacy_subject } = own;
    return (
      (await model.exists({
        _id: { $ne: transactionId },
        project_client_id: clientId,
        legacy_subject,
        state: "completed",
      })) !== null
    );
  };
  return {
    annul: async (transactionId, now) => {
      // expires_at is also changed, so that a replica of an earlier version treats the transaction as expired as well.
      const $set = {
        state: "annulled",
        annulled_at: now,
        expires_at: now,
        verification: null,
        purge_at: new Date(now.getTime() + transactionKeptMs),
      } as const;
      await model.updateOne({ _id: transactionId, state: { $ne: "annulled" } }, { $set });
      return mapped(await model.findById(transactionId).lean<TransactionDocument>());
    },
    listSubjects: async (accountId, emails) => {
      const ways = [
        ...(accountId === null ? [] : [{ account_id: accountId }]),
        ...(emails.length === 0 ? [] : [{ email_normalized: { $in: [...emails] } }]),
      ];
      const pages = await Promise.all(
        ways.map((way) =>
          model.find(way, { project_client_id: 1, legacy_subject: 1 }).limit(subjectsMax).lean<TransactionDocument[]>(),
        ),
      );
      const subjects = pages.flat().map((found) => [found.project_client_id, found.legacy_subject] as const);
      const distinct = new Map(subjects.map((pair) => [pair.join(" "), pair]));
      return [...distinct.values()].map(([clientId, subject]) => ({ clientId, subject }));
    },
    listOfAccount: async (accountId) => {
      const found = await model.find({ account_id: accountId }).limit(subjectsMax).lean<TransactionDocument[]>();
      return found.map(transactionFromDocument);
    },
    list: async ({ projectClientId, legacySubject, email, status }, page, now) => {
      const filter = {
        ...defined({ project_client_id: projectClientId, legacy_subject: legacySubject, email_normalized: email }),
        ...(status === null ? {} : statusFilter(status, now)),
      };
      const options = { ...(status === null ? {} : statusOrder(status, now)), isLong: true };
      const { items, nextCursor } = await readPage<TransactionDocument>(model, filter, page, options);
      return { items: items.map(transactionFromDocument), nextCursor };
    },
    insertOnce: async (clientId, { id, verification: _none, ...rest }, flowTokenSha256, claim) => {
      const { document, replayed } = await insertOnce<TransactionDocument>(model, {
        _id: id,
        ...rest,
        email_normalized: normalizeEmail(rest.email),
        evidence: [...rest.evidence],
        verification: null,
        last_mail_at: null,
        project_client_id: clientId,
        flow_token_sha256: flowTokenSha256,
        purge_at: new Date(rest.expires_at.getTime() + transactionKeptMs),
        idempotency_key: claim.key,
        idempotency_fingerprint: claim.fingerprint,
      });
      return { ...stored(document), replayed };
    },
    findClaimed: async (clientId, claim) => {
      const document = await model
        .findOne({ project_client_id: clientId, idempotency_key: claim.key })
        .lean<TransactionDocument>();
      return document === null || document.idempotency_fingerprint !== claim.fingerprint ? null : stored(document);
    },
    find,
    findForPerson: async (transactionId) => mapped(await model.findById(transactionId).lean<TransactionDocument>()),
    findExpiredUntold: async (clientIds, now, limit) => {
      // Uses the index on purge_at, which follows expires_at; expiries more than a day ago are not reported.
      const purgedBy = now.getTime() + transactionKeptMs;
      const documents = await model
        .find({
          purge_at: { $lte: new Date(purgedBy), $gt: new Date(purgedBy - 86_400_000) },
          state: { $in: ["pending", "link_pending"] },
          project_client_id: { $in: [...clientIds] },
          expiry_told: { $exists: false },
        })
        .limit(limit)
        .lean<TransactionDocument[]>();
      return documents.map(transactionFromDocument);
    },
    tellExpired: async (clientId, transactionId, fact) => {
      await model.updateOne(
        {
          _id: transactionId,
          project_client_id: clientId,
          state: { $in: ["pending", "link_pending"] },
          expiry_told: { $exists: false },
        },
        withFact({ $set: { expiry_told: true } }, fact),
      );
    },
    checkFlowToken: async (transactionId, flowTokenSha256) => {
      const document = await model.findById(transactionId).lean<TransactionDocument>();
      if (document === null) return { verdict: "absent" };
      if (document.flow_token_failures >= flowTokenFailuresMax) return { verdict: "locked" };
      if (constantTimeEqual(document.flow_token_sha256, flowTokenSha256)) {
        return { verdict: "right", transaction: transactionFromDocument(document) };
      }
      const counted = await model.updateOne(
        { _id: transactionId, flow_token_failures: { $lt: flowTokenFailuresMax } },
        { $inc: { flow_token_failures: 1 } },
      );
      return { verdict: counted.modifiedCount === 1 ? "wrong" : "locked" };
    },
    link: async (transactionId, accountId, needsEvidence, now, fact) =>
      mapped(
        await model
          .findOneAndUpdate(
            {
              _id: transactionId,
              state: "pending",
              expires_at: { $gt: now },
              ...(needsEvidence ? { "evidence.account_id": accountId } : {}),
            },
            withFact({ $set: { state: "link_pending", account_id: accountId, linked_at: now } }, fact),
            { returnDocument: "after" },
          )
          .lean<TransactionDocument>(),
      ),
    complete: async (clientId, transactionId, now, fact) => {
      try {
        // This is not findOneAndUpdate, because FerretDB reports a duplicate key in it with an unspecific code.
        const { matchedCount } = await retryWrite(() =>
          model.updateOne(
            { _id: transactionId, project_client_id: clientId, state: "link_pending", expires_at: { $gt: now } },
            withFact({ $set: { state: "completed", completed_at: now, purge_at: null, verification: null } }, fact),
          ),
        );
        return matchedCount === 0 ? null : find(clientId, transactionId);
      } catch (error) {
        // Concurrent confirmations of one subject can deadlock on PostgreSQL, so a read finds out what was stored,
        // whatever the failure was.
        const isAboutStore = isDuplicateKey(error) || isStoreFailure(error);
        if (isAboutStore && (await isSubjectTaken(clientId, transactionId))) return "subject_taken";
        throw error;
      }
    },
  };
}

/**
 * The order in which transactions of a status are read from an index, so that a page examines about as many as it
 * shows.
 */
function statusOrder(status: TransactionStatus, now: Date): Parameters<typeof readPage>[3] {
  // Expired transactions are listed by the time of their expiry, latest first.
  if (status === "expired")
    return { order: { by: "expires_at", direction: -1 }, span: { since: null, until: new Date(now.getTime() + 1) } };
  // A transaction that has not expired was created within the longest lifetime.
  const since = status === "completed" ? null : new Date(now.getTime() - transactionLifetimeMsMax);
  return { span: { since, until: null } };
}

/** Filter for the stored states and times that have a status. */
function statusFilter(status: TransactionStatus, now: Date): Record<string, unknown> {
  if (status === "completed") return { state: "completed" };
  // An annulled transaction counts as expired from the time of its annulment.
  if (status === "expired") {
    return { state: { $in: ["annulled", "link_pending", "pending"] } };
  }
  return { state: status, expires_at: { $gt: now } };
}
