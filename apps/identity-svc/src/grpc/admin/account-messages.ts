import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import { emailHint } from "@platform/kit/web/mail";
import type { PlatformAccountSchema, PlatformSessionSchema } from "@platform/proto/identity/v1/identity_admin";
import type { PlatformAccount } from "../../domain/platform-account.ts";
import type { PlatformSession } from "../../domain/platform-session.ts";

/** An account as operators see it, its addresses masked unless they are revealed. */
export function accountMessage(
  account: PlatformAccount,
  isRevealed = false,
): MessageInitShape<typeof PlatformAccountSchema> {
  return {
    id: account.id,
    loginIdentifiers: account.login_identifiers.map(({ email, verified_at }) => ({
      ...(isRevealed ? { email } : {}),
      addressHint: emailHint(email),
      ...optionalTimestamp("verifiedAt", verified_at),
    })),
    createdAt: timestampFromDate(account.created_at),
    status: account.disabled_at === null ? "active" : "disabled",
  };
}

export function sessionMessage(session: PlatformSession): MessageInitShape<typeof PlatformSessionSchema> {
  return {
    id: session.id,
    accountId: session.account_id,
    createdAt: timestampFromDate(session.created_at),
    authenticatedAt: timestampFromDate(session.authenticated_at),
    lastSeenAt: timestampFromDate(session.last_seen_at),
    expiresAt: timestampFromDate(session.expires_at),
  };
}

export function accountNotFound(): ServiceError {
  return new ServiceError("platform_account_not_found", "There is no such Platform Account.");
}
