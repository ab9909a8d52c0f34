import type { Implementation } from "@platform/kit/rpc/server";
import type { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import type { IdentityContext } from "../identity-context.ts";
import { admitTransaction } from "../operations/admit-transaction.ts";
import { linkAccount } from "../operations/link-account.ts";
import { requireRecentSession, transactionMessage } from "./migration-messages.ts";

type Rpc = Implementation<typeof IdentityMigrationService>["linkIdentityMigrationTransaction"];

export function linkIdentityMigrationTransaction(context: IdentityContext): Rpc {
  return async ({ transactionId, sessionId, flowToken }) => {
    const session = await requireRecentSession(context, sessionId);
    const transaction = await admitTransaction(context, transactionId, flowToken);
    const linked = await linkAccount(context, transaction, session.account_id);
    return { transaction: transactionMessage(linked, context.clock()) };
  };
}
