import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";
import { transactionData } from "./transaction-data.ts";

type Operation = (typeof identityOperations)["identity.linkIdentityMigrationTransaction"];

/** A repeat by the same account has the same response, so the call may be retried. */
export const linkIdentityMigrationTransaction: Handler<Operation> = async (input, { identity }) => {
  const reply = await identity.migration.linkIdentityMigrationTransaction(
    { transactionId: input.params.transactionId, sessionId: input.session.id, flowToken: input.body.flow_token },
    { ...input.call, retryUnavailable: true },
  );
  return { data: transactionData(reply.transaction) };
};
