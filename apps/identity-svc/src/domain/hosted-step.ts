import type { TransactionStatus } from "./identity-migration-transaction.ts";

/** Steps on the way from the project to the link. The first four have a page of the same name. */
export type HostedStep = "sign-in" | "reauthenticate" | "verify-email" | "confirm" | "expired" | "linked-elsewhere";

/** Facts that decide the next step. */
export type HostedSituation = {
  readonly status: TransactionStatus;
  /** The account that the transaction is already linked to, or null. */
  readonly linkedAccountId: string | null;
  readonly session: { readonly accountId: string; readonly isRecent: boolean } | null;
  /** True if the session's account has proven an address for this transaction. */
  readonly isEmailProven: boolean;
};

/** The step that is currently open. Each page checks it, so no step can be skipped by opening its address. */
export function nextStep(situation: HostedSituation): HostedStep {
  const { status, linkedAccountId, session, isEmailProven } = situation;
  if (status === "expired") return "expired";
  if (session === null) return "sign-in";
  if (linkedAccountId !== null && linkedAccountId !== session.accountId) return "linked-elsewhere";
  if (!session.isRecent) return "reauthenticate";
  return isEmailProven || linkedAccountId === session.accountId ? "confirm" : "verify-email";
}
