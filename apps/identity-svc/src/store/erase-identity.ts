import { createHmac } from "node:crypto";
import type { Keyring } from "@platform/kit/process/secrets";
import { collectionOf, deleteInBatches } from "@platform/kit/store/documents";
import type { Connection } from "mongoose";
import type { ErasureSubject } from "./erasures.ts";

const batchSize = 200;

/**
 * Erases a subject's data in identity-svc. Ids, states and times are kept. A keyed hash of each legacy subject is
 * kept as well, so that a completed subject is not mistaken for another. It can be repeated.
 * @param forgets functions that each remove the reports about a client, including those that arrive later, and return
 * how many documents they removed
 */
export function createIdentityEraser(
  connection: Connection,
  forgets: readonly ((clientId: string) => Promise<number>)[],
) {
  const models = () => ({
    accounts: connection.model("PlatformAccount"),
    sessions: connection.model("PlatformSession"),
    resets: connection.model("PasswordReset"),
    accountMails: connection.model("AccountMail"),
    transactions: connection.model("IdentityMigrationTransaction"),
    continuations: connection.model("HostedContinuation"),
    credentials: connection.model("ProjectCredential"),
    clients: connection.model("ProjectClient"),
    members: connection.model("ProjectMember"),
    notices: connection.model("QuotaNotice"),
    contacts: connection.model("ProjectContact"),
    contactNotices: connection.model("ContactNotice"),
    brands: connection.model("Brand"),
    reached: connection.model("ReachedQuota"),
    approvals: connection.model("Approval"),
  });
  const hashOf = (keyring: Keyring, clientId: string, subject: string): string =>
    `erased:${createHmac("sha256", keyring.current).update(`legacy-subject\0${clientId}\0${subject}`).digest("hex")}`;

  const eraseTransactions = async (filter: object, keyring: Keyring, signal: AbortSignal): Promise<number> => {
    const { continuations, transactions } = models();
    const collection = collectionOf(transactions);
    let erased = 0;
    while (!signal.aborted) {
      const found = (await collection
        .find({ ...filter, erased: { $ne: true } })
        .limit(batchSize)
        .toArray()) as { _id: string; project_client_id: string; legacy_subject: string }[];
      if (found.length === 0) break;
      // Continuations are erased first, because nothing refers to them once the transactions are erased.
      erased += await deleteInBatches(continuations, { transaction_id: { $in: found.map(({ _id }) => _id) } }, signal);
      for (const { _id, project_client_id, legacy_subject } of found) {
        await collection.updateOne(
          { _id },
          {
            $set: {
              erased: true,
              email: "erased",
              legacy_subject: hashOf(keyring, project_client_id, legacy_subject),
              verification: null,
              evidence: [],
              // The fingerprint is a hash of the request whose only unknown parts are the address and the subject, so
              // it could reveal them. The idempotency key stays used.
              idempotency_fingerprint: "erased",
            },
            $unset: { email_normalized: "" },
          },
        );
      }
      erased += found.length;
    }
    return erased;
  };

  return {
    erasePerson: async (
      { accountId, emails }: ErasureSubject,
      keyring: Keyring,
      signal: AbortSignal,
    ): Promise<number> => {
      const { accounts, sessions, resets, accountMails, contacts, members } = models();
      let erased = 0;
      if (accountId !== null) {
        erased += await deleteInBatches(sessions, { account_id: accountId }, signal);
        erased += await deleteInBatches(resets, { account_id: accountId }, signal);
        erased += await deleteInBatches(accountMails, { account_id: accountId }, signal);
        erased += await eraseTransactions({ account_id: accountId }, keyring, signal);
        const { modifiedCount } = await collectionOf(accounts).updateOne(
          { _id: accountId, erased: { $ne: true } },
          { $set: { erased: true, login_identifiers: [], password_hash: "", unproven_until: null } },
        );
        erased += modifiedCount;
      }
      if (emails.length > 0) {
        for (const model of [contacts, members])
          erased += await deleteInBatches(model, { email: { $in: [...emails] } }, signal);
      }
      for (const email of emails) erased += await eraseTransactions({ email_normalized: email }, keyring, signal);
      return erased;
    },
    eraseClient: async (clientId: string, signal: AbortSignal): Promise<number> => {
      const { transactions, continuations, credentials, clients, members, brands, ...other } = models();
      const { notices, contacts, contactNotices, reached, approvals } = other;
      const own = { project_client_id: clientId };
      let erased = 0;
      for (const forget of forgets) erased += await forget(clientId);
      const ofProject = [members, contacts, contactNotices, approvals];
      for (const model of [transactions, continuations, credentials, notices, reached, ...ofProject]) {
        erased += await deleteInBatches(model, own, signal);
      }
      erased += await deleteInBatches(brands, { _id: clientId }, signal);
      const { modifiedCount } = await collectionOf(clients).updateOne(
        { _id: clientId, erased: { $ne: true } },
        { $set: { erased: true, name: "erased", return_uris: [] } },
      );
      return erased + modifiedCount;
    },
  };
}
