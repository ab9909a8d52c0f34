import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";
import { transactionData } from "./transaction-data.ts";

type Operation = (typeof identityOperations)["identity.linkIdentityMigrationTransaction"];

/** The call may be retried, because a repeat by the same account has the same response. */
export const linkIdentityMigrationTransaction: Handler<Operation> = async (input, { identity }) => {
  const reply = await identity.migration.linkIdentityMigrationTransaction(
    { transactionId: input.params.transactionId, sessionId: input.session.id, flowToken: input.body.flow_token },
    { ...input.call, retryUnavailable: true },
  );
  return { data: transactionData(reply.transaction) };
};
