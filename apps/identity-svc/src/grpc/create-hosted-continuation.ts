import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { hashToken, newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import type { IdentityMigrationService } from "@platform/proto/identity/v1/identity_migration";
import { continuationMs } from "../domain/hosted-continuation.ts";
import { statusOf } from "../domain/identity-migration-transaction.ts";
import { isReturnUriAllowed } from "../domain/return-uri.ts";
import type { IdentityContext } from "../identity-context.ts";
import { currentToken, recoverToken } from "../operations/derived-tokens.ts";
import {
  admitFlowToken,
  stateConflict,
  transactionExpired,
  transactionNotFound,
} from "../operations/transaction-errors.ts";
import type { StoredContinuation } from "../store/hosted-continuations.ts";

type Rpc = Implementation<typeof IdentityMigrationService>["createHostedContinuation"];

const purpose = "identity-migration.continuation-token";

export function createHostedContinuation(context: IdentityContext): Rpc {
  return async (request, call) => {
    const clientId = requireProjectClient(call).id;
    const claim = requireIdempotency(call);
    const answer = ({ continuation, tokenSha256 }: StoredContinuation, replayed: boolean) => ({
      id: continuation.id,
      continuationToken: recoverToken(context.keyring, purpose, continuation.id, tokenSha256),
      expiresAt: timestampFromDate(continuation.expires_at),
      replayed,
    });
    // The claim's fingerprint includes the flow token's digest, so only its holder recovers the continuation.
    const earlier = await context.continuations.findClaimed(clientId, claim);
    if (earlier !== null) return answer(earlier, true);

    const own = await context.transactions.find(clientId, request.transactionId);
    if (own === null) throw transactionNotFound();
    const transaction = admitFlowToken(await context.transactions.checkFlowToken(own.id, hashToken(request.flowToken)));
    const now = context.clock();
    const status = statusOf(transaction, now);
    if (status === "expired") throw transactionExpired();
    if (status === "completed") throw stateConflict(status);
    const client = await context.clients.find(clientId);
    if (client === null || !isReturnUriAllowed(request.returnUri, client.return_uris)) {
      throw new ServiceError(
        "return_uri_not_allowed",
        "return_uri is not on the Project Client's allow-list; it must equal an entry character for character.",
      );
    }

    const id = newId();
    const made = await context.continuations.insertOnce(
      clientId,
      {
        id,
        project_client_id: clientId,
        transaction_id: transaction.id,
        return_uri: request.returnUri,
        state: request.state,
        created_at: now,
        expires_at: new Date(Math.min(now.getTime() + continuationMs, transaction.expires_at.getTime())),
        browser_sha256: null,
        flow_expires_at: null,
        outcome: null,
      },
      hashToken(currentToken(context.keyring, purpose, id)),
      claim,
    );
    return answer(made, made.replayed);
  };
}
