import { normalizeEmail } from "@platform/kit/web/mail";
import { ownsEmail } from "../domain/platform-account.ts";
import type { Visit } from "./visit.ts";

/**
 * The address that the flow verifies and shows: the asserted one if the account owns it, otherwise the account's first.
 * A registration has none yet and uses the asserted one.
 */
export function shownEmail({ account, transaction }: Pick<Visit, "account" | "transaction">): string {
  const asserted = normalizeEmail(transaction.email);
  if (account === null || ownsEmail(account, asserted)) return asserted;
  return account.login_identifiers[0]?.email ?? asserted;
}
