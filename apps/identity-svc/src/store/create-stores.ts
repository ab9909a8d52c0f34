import { createOutbox } from "@platform/kit/store/documents";
import { createRetentionStore } from "@platform/operator-plane/retention";
import { createUsageStore } from "@platform/operator-plane/usage/store";
import type { Connection } from "mongoose";
import { createAccountMailStore } from "./account-mails.ts";
import { createApprovalStore } from "./approvals.ts";
import { createBrandStore } from "./brands.ts";
import { createContactNoticeStore } from "./contact-notices.ts";
import { createCredentialUsageStore } from "./credential-usage.ts";
import { createEmailVerificationStore } from "./email-verifications.ts";
import { createIdentityEraser } from "./erase-identity.ts";
import { createErasureStore } from "./erasures.ts";
import { createHealthDayStore } from "./health-days.ts";
import { createHostedContinuationStore } from "./hosted-continuations.ts";
import { createTransactionStore, transactionModel } from "./identity-migration-transactions.ts";
import { createOperatorSessionStore } from "./operator-sessions.ts";
import { createPasswordResetStore } from "./password-resets.ts";
import { createPlatformAccountStore } from "./platform-accounts.ts";
import { createPlatformSessionStore } from "./platform-sessions.ts";
import { createProjectClientSearch } from "./project-client-search.ts";
import { createProjectClientStore } from "./project-clients.ts";
import { createProjectContactStore } from "./project-contacts.ts";
import { createProjectCredentialStore, projectCredentialModel } from "./project-credentials.ts";
import { createProjectMemberStore } from "./project-members.ts";
import { createQuotaNoticeStore, quotaNoticeModel } from "./quota-notices.ts";
import { createReachedQuotaStore } from "./reached-quotas.ts";
import { createRequestLogStore, requestLogRetention } from "./request-log.ts";
import { createSignInFailureStore } from "./sign-in-failures.ts";

/** Every store of the service on one connection. All stores are created here, so that `buildIndexes` is complete. */
export function createStores(connection: Connection) {
  const transactions = transactionModel(connection);
  const quotaNotices = quotaNoticeModel(connection);
  const usage = createUsageStore(connection);
  const credentialUsage = createCredentialUsageStore(connection);
  const requestLog = createRequestLogStore(connection);
  return {
    /** Outboxes of platform events. */
    outboxes: [
      createOutbox(transactions),
      createOutbox(projectCredentialModel(connection)),
      createOutbox(quotaNotices),
    ],
    quotaNotices: createQuotaNoticeStore(quotaNotices),
    reachedQuotas: createReachedQuotaStore(connection),
    clients: createProjectClientStore(connection),
    approvals: createApprovalStore(connection),
    brands: createBrandStore(connection),
    clientSearch: createProjectClientSearch(connection),
    members: createProjectMemberStore(connection),
    credentials: createProjectCredentialStore(connection),
    contacts: createProjectContactStore(connection),
    contactNotices: createContactNoticeStore(connection),
    sessions: createPlatformSessionStore(connection),
    accounts: createPlatformAccountStore(connection),
    operatorSessions: createOperatorSessionStore(connection),
    signInFailures: createSignInFailureStore(connection),
    transactions: createTransactionStore(transactions),
    verifications: createEmailVerificationStore(transactions),
    passwordResets: createPasswordResetStore(connection),
    accountMails: createAccountMailStore(connection),
    continuations: createHostedContinuationStore(connection),
    usage,
    credentialUsage,
    requestLog,
    retention: createRetentionStore(connection, requestLogRetention),
    healthDays: createHealthDayStore(connection),
    erasures: createErasureStore(connection),
    eraser: createIdentityEraser(connection, [usage.forget, credentialUsage.forget, requestLog.forget]),
  };
}

export type Stores = ReturnType<typeof createStores>;
