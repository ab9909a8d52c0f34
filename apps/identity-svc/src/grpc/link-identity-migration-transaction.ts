import type { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import { hashToken } from "@platform/service-kit/secrets/token";
import type { IdentityContext } from "../identity-context.ts";
import { linkAccount } from "../operations/link-account.ts";
import { admitFlowToken } from "../operations/transaction-errors.ts";
import { requireRecentSession, transactionMessage } from "./migration-messages.ts";

type Rpc = Implementation<typeof IdentityMigrationService>["linkIdentityMigrationTransaction"];

export function linkIdentityMigrationTransaction(context: IdentityContext): Rpc {
  return async ({ transactionId, sessionId, flowToken }) => {
    const session = await requireRecentSession(context, sessionId);
    const check = await context.transactions.checkFlowToken(transactionId, hashToken(flowToken));
    const linked = await linkAccount(context, admitFlowToken(check), session.account_id);
    return { transaction: transactionMessage(linked, context.clock()) };
  };
}
