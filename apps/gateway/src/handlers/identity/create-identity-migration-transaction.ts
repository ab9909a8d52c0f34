import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { identityOperations } from "@platform/contracts/operations/identity";
import type { Handler } from "../../handler.ts";
import { transactionData } from "./transaction-data.ts";

type Operation = (typeof identityOperations)["identity.createIdentityMigrationTransaction"];

export const createIdentityMigrationTransaction: Handler<Operation> = async ({ body, call }, { identity }) => {
  const reply = await identity.migration.createIdentityMigrationTransaction(
    {
      projectClientId: body.project_client_id,
      legacySubject: body.legacy_subject,
      email: body.email,
      locale: body.locale,
      correlationId: body.correlation_id,
      expiresAt: timestampFromDate(new Date(body.expires_at)),
    },
    { ...call, retryUnavailable: true },
  );
  return {
    data: { ...transactionData(reply.transaction), flow_token: reply.flowToken },
    replayed: reply.replayed,
  };
};
