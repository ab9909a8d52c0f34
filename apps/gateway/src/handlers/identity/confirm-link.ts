import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";
import { transactionData } from "./transaction-data.ts";

type Operation = (typeof identityOperations)["identity.confirmLink"];

/** The call may be retried, because a repeat has the same response. */
export const confirmLink: Handler<Operation> = async ({ params, call }, { identity }) => {
  const reply = await identity.migration.confirmIdentityMigrationLink(
    { transactionId: params.transactionId },
    { ...call, retryUnavailable: true },
  );
  return { data: transactionData(reply.transaction) };
};
