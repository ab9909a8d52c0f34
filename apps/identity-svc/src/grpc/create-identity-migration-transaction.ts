import { timestampDate } from "@bufbuild/protobuf/wkt";
import { hashToken, newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import type { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import {
  type IdentityMigrationTransaction,
  transactionLifetimeMsMax,
} from "../domain/identity-migration-transaction.ts";
import type { IdentityContext } from "../identity-context.ts";
import { currentToken, recoverToken } from "../operations/derived-tokens.ts";
import { transactionMessage } from "./migration-messages.ts";

type Rpc = Implementation<typeof IdentityMigrationService>["createIdentityMigrationTransaction"];

export function createIdentityMigrationTransaction(context: IdentityContext): Rpc {
  return async (request, call) => {
    const client = requireProjectClient(call);
    const claim = requireIdempotency(call);
    const now = context.clock();
    const answer = (
      made: { transaction: IdentityMigrationTransaction; flowTokenSha256: string },
      replayed: boolean,
    ) => ({
      transaction: transactionMessage(made.transaction, now),
      flowToken: recoverToken(
        context.keyring,
        "identity-migration.flow-token",
        made.transaction.id,
        made.flowTokenSha256,
      ),
      replayed,
    });

    if (request.projectClientId !== client.id) {
      throw new ServiceError(
        "project_client_mismatch",
        "project_client_id must be the calling Project Client's own id.",
      );
    }
    // The earlier transaction is looked up before the time is checked, so that a late retry of a successful request
    // does not fail because its expires_at has passed.
    const earlier = await context.transactions.findClaimed(client.id, claim);
    if (earlier !== null) return answer(earlier, true);

    const expiresAt = request.expiresAt === undefined ? now : timestampDate(request.expiresAt);
    const aheadMs = expiresAt.getTime() - now.getTime();
    if (aheadMs <= 0) throw refuseExpiry("must be in the future");
    if (aheadMs > transactionLifetimeMsMax) throw refuseExpiry("must be at most 7 days ahead");

    const id = newId();
    const flowToken = currentToken(context.keyring, "identity-migration.flow-token", id);
    const made = await context.transactions.insertOnce(
      client.id,
      {
        id,
        project_client_id: client.id,
        legacy_subject: request.legacySubject,
        email: request.email,
        locale: request.locale,
        correlation_id: request.correlationId,
        created_at: now,
        expires_at: expiresAt,
        state: "pending",
        account_id: null,
        linked_at: null,
        completed_at: null,
        annulled_at: null,
        flow_token_failures: 0,
        verification: null,
        verification_count: 0,
        evidence: [],
      },
      hashToken(flowToken),
      claim,
    );
    if (!made.replayed) context.metrics.transitions.inc({ to: "pending" });
    return answer(made, made.replayed);
  };
}

function refuseExpiry(message: string): ServiceError {
  return new ServiceError("contract_violation", "The request violates the public contract.", {
    details: { violations: [{ path: "/expires_at", code: "out_of_range", message }] },
  });
}
