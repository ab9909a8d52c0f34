import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireProjectClient } from "@platform/kit/rpc/server";
import type { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { statusOf } from "../domain/identity-migration-transaction.ts";
import type { IdentityContext } from "../identity-context.ts";
import { factFor } from "../operations/tell-client.ts";
import { stateConflict, transactionExpired, transactionNotFound } from "../operations/transaction-errors.ts";
import { transactionMessage } from "./migration-messages.ts";

type Rpc = Implementation<typeof IdentityMigrationService>["confirmIdentityMigrationLink"];

export function confirmIdentityMigrationLink(context: IdentityContext): Rpc {
  return async ({ transactionId }, call) => {
    const clientId = requireProjectClient(call).id;
    const now = context.clock();
    const told = { resource: "identity_migration", id: transactionId, state: "completed" };
    const fact = await factFor(context, clientId, told, now);
    const completed = await context.transactions.complete(clientId, transactionId, now, fact);
    if (completed === "subject_taken") {
      throw new ServiceError(
        "account_already_linked",
        "This legacy subject has been linked by another Identity Migration Transaction already.",
      );
    }
    if (completed !== null) context.metrics.transitions.inc({ to: "completed" });
    const transaction = completed ?? (await context.transactions.find(clientId, transactionId));
    if (transaction === null) throw transactionNotFound();
    const status = statusOf(transaction, now);
    if (status === "expired") throw transactionExpired();
    if (status !== "completed") throw stateConflict(status);
    return { transaction: transactionMessage(transaction, now) };
  };
}
