import { hashToken, newId } from "@platform/kit/process/secrets";
import {
  type IdentityMigrationTransaction,
  mailContents,
  type PendingVerification,
  verificationCodeMs,
  verificationLinkMs,
} from "../domain/identity-migration-transaction.ts";
import type { IdentityContext } from "../identity-context.ts";
import type { VerificationRefusal } from "../store/email-verifications.ts";
import { codeHmac, currentToken, verificationCode } from "./derived-tokens.ts";

/**
 * Starts a verification and queues its email in one write; the earlier link and code become invalid. Neither link nor
 * code is stored: the worker derives them when it sends.
 * @param spacing within 30 seconds of the last email: `wait` postpones this one to the end of that time, `refuse` does
 * nothing
 */
export async function beginVerification(
  context: Pick<IdentityContext, "clock" | "keyring" | "verifications">,
  transactionId: string,
  wanted: Pick<PendingVerification, "account_id" | "email" | "kind" | "language">,
  spacing: "wait" | "refuse",
): Promise<IdentityMigrationTransaction | VerificationRefusal> {
  const now = context.clock();
  const id = newId();
  const key = context.keyring.current;
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  return context.verifications.begin(
    transactionId,
    {
      id,
      ...wanted,
      requested_at: now,
      link_expires_at: after(verificationLinkMs),
      code_expires_at: after(verificationCodeMs),
      code_failures: 0,
      link_token_sha256: hashToken(currentToken(context.keyring, "email-verification.link-token", id)),
      code_hmac: mailContents(wanted.kind).code ? codeHmac(key, id, verificationCode(key, id)) : null,
    },
    spacing,
    now,
  );
}
