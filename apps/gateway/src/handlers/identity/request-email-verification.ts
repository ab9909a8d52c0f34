import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";

type Operation = (typeof identityOperations)["identity.requestEmailVerification"];

/** The call is not retried, because each call sends another email. */
export const requestEmailVerification: Handler<Operation> = async (input, { identity }) => {
  await identity.migration.requestEmailVerification(
    { transactionId: input.params.transactionId, sessionId: input.session.id, flowToken: input.body.flow_token },
    input.call,
  );
  return { data: { status: "verification_pending" } };
};
