import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { IdentityMigrationTransactionSchema } from "@platform/proto/identity/v1/identity_migration";
import { type IdentityMigrationTransaction, statusOf } from "../domain/identity-migration-transaction.ts";
import { isRecentlyAuthenticated, type PlatformSession } from "../domain/platform-session.ts";
import type { IdentityContext } from "../identity-context.ts";
import { mayStillBeUsed } from "../operations/open-session.ts";
import { unauthenticated } from "./authenticate-project-credential.ts";

/** Encodes a transaction as the contract shows it. Its flow token is never part of it. */
export function transactionMessage(
  transaction: IdentityMigrationTransaction,
  now: Date,
): MessageInitShape<typeof IdentityMigrationTransactionSchema> {
  return {
    id: transaction.id,
    projectClientId: transaction.project_client_id,
    legacySubject: transaction.legacy_subject,
    email: transaction.email,
    locale: transaction.locale,
    correlationId: transaction.correlation_id,
    expiresAt: timestampFromDate(transaction.expires_at),
    status: statusOf(transaction, now),
    accountId: transaction.account_id ?? "",
  };
}

/**
 * Reads the session of a call again, because an account is never taken from a message.
 * @throws ServiceError unauthenticated, recent_authentication_required
 */
export async function requireRecentSession(context: IdentityContext, sessionId: string): Promise<PlatformSession> {
  const session = await context.sessions.find(sessionId);
  const now = context.clock();
  if (session === null || !(await mayStillBeUsed(context, session, now))) throw unauthenticated();
  if (!isRecentlyAuthenticated(session, now, context.recentAuthenticationSeconds)) {
    throw new ServiceError(
      "recent_authentication_required",
      "This operation needs a Platform Session that was authenticated recently; sign in again.",
      { details: { max_age_seconds: context.recentAuthenticationSeconds } },
    );
  }
  return session;
}
