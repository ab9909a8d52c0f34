import { type Implementation, requireProjectClient } from "@platform/kit/rpc/server";
import type { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import type { IdentityContext } from "../identity-context.ts";
import { transactionNotFound } from "../operations/transaction-errors.ts";
import { transactionMessage } from "./migration-messages.ts";

type Rpc = Implementation<typeof IdentityMigrationService>["getIdentityMigrationTransaction"];

export function getIdentityMigrationTransaction(context: IdentityContext): Rpc {
  return async ({ transactionId }, call) => {
    const transaction = await context.transactions.find(requireProjectClient(call).id, transactionId);
    if (transaction === null) throw transactionNotFound();
    return { transaction: transactionMessage(transaction, context.clock()) };
  };
}
