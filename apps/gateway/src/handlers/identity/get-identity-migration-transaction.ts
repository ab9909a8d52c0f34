import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";
import { transactionData } from "./transaction-data.ts";

type Operation = (typeof identityOperations)["identity.getIdentityMigrationTransaction"];

export const getIdentityMigrationTransaction: Handler<Operation> = async ({ params, call }, { identity }) => {
  const reply = await identity.migration.getIdentityMigrationTransaction(
    { transactionId: params.transactionId },
    { ...call, retryUnavailable: true },
  );
  return { data: transactionData(reply.transaction) };
};
