import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import { normalizeEmail } from "@platform/kit/web/mail";
import type { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { statusOf } from "../domain/identity-migration-transaction.ts";
import { ownsEmail } from "../domain/platform-account.ts";
import type { IdentityContext } from "../identity-context.ts";
import { admitTransaction } from "../operations/admit-transaction.ts";
import { beginVerification } from "../operations/begin-verification.ts";
import { stateConflict, transactionExpired, verificationLimitReached } from "../operations/transaction-errors.ts";
import { requireRecentSession } from "./migration-messages.ts";

type Rpc = Implementation<typeof IdentityMigrationService>["requestEmailVerification"];

export function requestEmailVerification(context: IdentityContext): Rpc {
  return async ({ transactionId, sessionId, flowToken }) => {
    const session = await requireRecentSession(context, sessionId);
    const transaction = await admitTransaction(context, transactionId, flowToken);
    const now = context.clock();
    const status = statusOf(transaction, now);
    if (status === "expired") throw transactionExpired();
    if (status === "completed") throw stateConflict(status);
    const email = normalizeEmail(transaction.email);
    const account = await context.accounts.find(session.account_id);
    if (account === null || !ownsEmail(account, email)) {
      throw new ServiceError("email_not_owned", "The account does not own the address this transaction asserts.");
    }
    const wanted = { account_id: account.id, email, kind: "link" } as const;
    const begun = await beginVerification(context, transaction.id, wanted, "wait");
    if (begun === "limit_reached") throw verificationLimitReached();
    if (typeof begun !== "string") return {};
    const current = (await context.transactions.findForPerson(transaction.id)) ?? transaction;
    throw current.state === "completed" ? stateConflict(current.state) : transactionExpired();
  };
}
