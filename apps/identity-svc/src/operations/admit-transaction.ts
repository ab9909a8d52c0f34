import { hashToken } from "@platform/kit/process/secrets";
import type { IdentityMigrationTransaction } from "../domain/identity-migration-transaction.ts";
import type { IdentityContext } from "../identity-context.ts";
import { admitFlowToken, transactionNotFound } from "./transaction-errors.ts";

/**
 * Admits a person who presents the flow token of a transaction whose Project Client is enabled.
 * @throws ServiceError the contract's errors for a wrong or locked flow token; a transaction of a disabled client is
 * reported as not found
 */
export async function admitTransaction(
  context: IdentityContext,
  transactionId: string,
  flowToken: string,
): Promise<IdentityMigrationTransaction> {
  const transaction = admitFlowToken(await context.transactions.checkFlowToken(transactionId, hashToken(flowToken)));
  if (await isClientDisabled(context, transaction)) throw transactionNotFound();
  return transaction;
}

/** Returns whether an operator has disabled the Project Client of a transaction. */
export async function isClientDisabled(
  { clients }: Pick<IdentityContext, "clients">,
  transaction: Pick<IdentityMigrationTransaction, "project_client_id">,
): Promise<boolean> {
  const client = await clients.find(transaction.project_client_id);
  return client === null || client.disabled_at !== null;
}
