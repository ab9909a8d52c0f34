import { ServiceError } from "@platform/kit/rpc/errors";
import {
  flowTokenFailuresMax,
  type IdentityMigrationTransaction,
  verificationsMax,
} from "../domain/identity-migration-transaction.ts";
import type { FlowTokenRefusal } from "../store/identity-migration-transactions.ts";

export function transactionNotFound(): ServiceError {
  return new ServiceError(
    "identity_migration_transaction_not_found",
    "There is no such Identity Migration Transaction for this caller.",
  );
}

export function transactionExpired(): ServiceError {
  return new ServiceError(
    "identity_migration_transaction_expired",
    "This Identity Migration Transaction has expired; create a new one after authenticating the legacy subject again.",
  );
}

export function stateConflict(state: string): ServiceError {
  return new ServiceError(
    "identity_migration_state_conflict",
    `This operation is not possible while the Identity Migration Transaction is ${state}.`,
    { details: { status: state } },
  );
}

export function emailNotVerified(): ServiceError {
  return new ServiceError(
    "email_not_verified",
    "The account has no email address that was verified after this transaction was created; verify one first.",
  );
}

export function verificationLimitReached(): ServiceError {
  return new ServiceError(
    "verification_limit_reached",
    `This Identity Migration Transaction has had its ${verificationsMax} verification mails; create a new one.`,
  );
}

/** Admits the holder of the flow token, or throws the contract's error for a wrong or locked one. */
export function admitFlowToken(
  check: { verdict: "right"; transaction: IdentityMigrationTransaction } | { verdict: FlowTokenRefusal },
): IdentityMigrationTransaction {
  switch (check.verdict) {
    case "right":
      return check.transaction;
    case "absent":
      throw transactionNotFound();
    case "wrong":
      throw new ServiceError("flow_token_invalid", "The flow_token is not this transaction's.");
    case "locked":
      throw new ServiceError(
        "flow_token_locked",
        `The flow_token is locked after ${flowTokenFailuresMax} wrong tries; create a new transaction.`,
      );
  }
}
