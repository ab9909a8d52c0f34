import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";

type Operation = (typeof identityOperations)["identity.createHostedContinuation"];

export const createHostedContinuation: Handler<Operation> = async ({ params, body, call }, { identity }) => {
  const reply = await identity.migration.createHostedContinuation(
    {
      transactionId: params.transactionId,
      flowToken: body.flow_token,
      returnUri: body.return_uri,
      state: body.state,
    },
    { ...call, retryUnavailable: true },
  );
  if (reply.expiresAt === undefined) throw new Error("identity-svc answered without an expiry");
  return {
    data: {
      id: reply.id,
      continuation_token: reply.continuationToken,
      expires_at: timestampDate(reply.expiresAt).toISOString(),
    },
    replayed: reply.replayed,
  };
};
