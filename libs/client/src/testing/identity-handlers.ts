import { check, found } from "./fail.ts";
import type { Handler } from "./handler.ts";
import { type Data, inHours, newId, newToken, type State } from "./state.ts";

function transactionOf({ transactions }: State, id: string | undefined): Data {
  const transaction = found(transactions.get(id ?? ""), "identity_migration_transaction_not_found");
  if (transaction.status !== "completed" && transaction.expires_at < new Date().toISOString())
    transaction.status = "expired";
  return transaction;
}

/** The transaction, when it has not expired and the flow token is its own. */
function openTransaction(state: State, id: string | undefined, flowToken?: string): Data {
  const transaction = transactionOf(state, id);
  check(transaction.status !== "expired", "identity_migration_transaction_expired");
  if (flowToken !== undefined) check(transaction.flow_token === flowToken, "flow_token_invalid");
  return transaction;
}

const withoutToken = ({ flow_token: _kept, ...transaction }: Data): Data => transaction;

export const identityHandlers = {
  "identity.getProjectClient": ({ projectClient }) => ({ data: projectClient }),
  "identity.createIdentityMigrationTransaction": ({ transactions, projectClient }, { body }) => {
    check(body.project_client_id === projectClient.id, "project_client_mismatch");
    const transaction = { id: newId(), ...body, status: "pending", account_id: null, flow_token: newToken() };
    transactions.set(transaction.id, transaction);
    return { data: transaction };
  },
  "identity.getIdentityMigrationTransaction": (state, { params }) => ({
    data: withoutToken(transactionOf(state, params.transactionId)),
  }),
  "identity.createHostedContinuation": (state, { params, body }) => {
    const transaction = openTransaction(state, params.transactionId, body.flow_token);
    check(transaction.status === "pending", "identity_migration_state_conflict");
    check(state.returnUris === null || state.returnUris.includes(body.return_uri), "return_uri_not_allowed");
    return { data: { id: newId(), continuation_token: newToken(), expires_at: inHours(0.25) } };
  },
  "identity.continueIdentityMigration": () => null,
  "identity.linkIdentityMigrationTransaction": (state, { params, body, accountId }) => {
    const transaction = openTransaction(state, params.transactionId, body.flow_token);
    if (transaction.account_id === null) Object.assign(transaction, { status: "link_pending", account_id: accountId });
    check(transaction.account_id === accountId, "account_already_linked");
    return { data: withoutToken(transaction) };
  },
  "identity.confirmLink": (state, { params }) => {
    const transaction = openTransaction(state, params.transactionId);
    check(transaction.status !== "pending", "identity_migration_state_conflict");
    transaction.status = "completed";
    return { data: withoutToken(transaction) };
  },
  "identity.requestEmailVerification": (state, { params, body }) => {
    const transaction = openTransaction(state, params.transactionId, body.flow_token);
    state.mailedTokens.set(transaction.id, newToken());
    return { data: { status: "verification_pending" } };
  },
  "identity.verifyEmail": ({ mailedTokens }, { params }) => {
    const { transactionId = "", token } = params;
    check(mailedTokens.get(transactionId) === token, "verification_link_invalid");
    mailedTokens.delete(transactionId);
    return { data: { status: "verified" } };
  },
} as const satisfies Record<string, Handler>;
