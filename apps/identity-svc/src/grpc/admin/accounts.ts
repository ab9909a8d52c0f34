import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { newId } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type Implementation, implementForOperators, type ServedService } from "@platform/kit/rpc/server";
import { emailHint, isEmailAddress, normalizeEmail } from "@platform/kit/web/mail";
import { invalidRequest } from "@platform/operator-plane/operators";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import {
  AccountAdminService,
  type PlatformAccountSchema,
  type PlatformSessionSchema,
} from "@platform/proto/identity/v1/identity_admin";
import { languages } from "../../domain/page-language.ts";
import { passwordLengthMax, passwordLengthMin, passwordProblem } from "../../domain/password-rule.ts";
import type { PlatformAccount } from "../../domain/platform-account.ts";
import { type PlatformSession, sessionLifetimeSeconds } from "../../domain/platform-session.ts";
import { secretKeyIdOf } from "../../domain/secret-key.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { closeSession, openSession } from "../../operations/open-session.ts";
import { endSessions, sendRecovery } from "../../operations/reset-password.ts";
import { accountNotFound } from "./refuse.ts";

/** The maximum length of the address that a migration asserts. */
const emailLengthMax = 255;

/** RPCs by which operators create and find Platform Accounts and Sessions, and help their owners. */
export function accountServices(context: IdentityContext): ServedService[] {
  return [
    implementForOperators(AccountAdminService, accountRpcs(context)),
    implementForOperators(AccountSupportService, supportRpcs(context)),
  ];
}

function accountRpcs(context: IdentityContext): Implementation<typeof AccountAdminService> {
  return {
    createAccount: async (request) => {
      const email = normalizeEmail(request.email);
      if (email.length > emailLengthMax || !isEmailAddress(email))
        throw invalidRequest("/email", "must be an email address");
      if (passwordProblem(request.password, email) !== null) {
        throw invalidRequest(
          "/password",
          `must have ${passwordLengthMin} to ${passwordLengthMax} characters and must not be the address`,
        );
      }
      const now = context.clock();
      const account = {
        id: newId(),
        login_identifiers: [{ email, verified_at: request.verified ? now : null }],
        created_at: now,
        unproven_until: null,
        sessions_ended_at: null,
        disabled_at: null,
      };
      const isStored = await context.accounts.insert(account, await context.passwords.hash(request.password));
      if (!isStored) throw new ServiceError("login_identifier_taken", "Another Platform Account has this address.");
      return { account: accountMessage(account) };
    },
    showAccount: async ({ accountId, reveal }) => ({
      account: accountMessage(await requireAccount(context, accountId), reveal),
    }),
    createSession: async (request) => {
      const secondsAgo = Number(request.authenticatedSecondsAgo);
      if (secondsAgo < 0 || secondsAgo > sessionLifetimeSeconds) {
        throw invalidRequest("/authenticated_seconds_ago", `must be from 0 to ${sessionLifetimeSeconds}`);
      }
      const account = await requireAccount(context, request.accountId);
      if (account.disabled_at !== null) throw invalidRequest("/account_id", "is disabled; enable it first");
      const authenticatedAt = new Date(context.clock().getTime() - secondsAgo * 1000);
      const { session, token } = await openSession(context, account.id, authenticatedAt);
      return { session: sessionMessage(session), sessionToken: token };
    },
    listSessions: async ({ accountId }) => {
      await requireAccount(context, accountId);
      const sessions = await context.sessions.listUsable(accountId, context.clock());
      return { sessions: sessions.map(sessionMessage) };
    },
    revokeSession: async ({ sessionId }) => {
      if ((await closeSession(context, secretKeyIdOf(sessionId))) === null) {
        throw new ServiceError("platform_session_not_found", "There is no such Platform Session.");
      }
      return {};
    },
  };
}

function supportRpcs(context: IdentityContext): Implementation<typeof AccountSupportService> {
  return {
    findAccounts: async ({ email, reveal }) => {
      if (email.trim() === "") throw invalidRequest("/email", "must not be empty");
      const found = await context.accounts.findByEmail(normalizeEmail(email));
      return { accounts: found === null ? [] : [accountMessage(found.account, reveal)] };
    },
    disableAccount: async ({ accountId }) => {
      const account = await context.accounts.disable(accountId, context.clock());
      if (account === null) throw accountNotFound();
      await endSessions(context, accountId);
      await context.passwordResets.endAllOf(accountId, context.clock());
      return { account: accountMessage(account) };
    },
    enableAccount: async ({ accountId }) => {
      const account = await context.accounts.enable(accountId);
      if (account === null) throw accountNotFound();
      return { account: accountMessage(account) };
    },
    sendAccountRecovery: async ({ accountId, language }) => {
      const wanted = languages.find((each) => each === (language === "" ? "en" : language));
      if (wanted === undefined) throw invalidRequest("/language", `must be one of ${languages.join(", ")}`);
      const account = await requireAccount(context, accountId);
      const [identifier] = account.login_identifiers;
      if (account.disabled_at !== null) throw invalidRequest("/account_id", "is disabled; enable it first");
      if (identifier === undefined) throw invalidRequest("/account_id", "has no proven address to mail to");
      await sendRecovery(context, { id: account.id, email: identifier.email }, wanted);
      return { addressHint: emailHint(identifier.email) };
    },
    revokeAccountSessions: async ({ accountId }) => {
      await requireAccount(context, accountId);
      return { revoked: await endSessions(context, accountId) };
    },
  };
}

async function requireAccount(context: IdentityContext, accountId: string): Promise<PlatformAccount> {
  const account = await context.accounts.find(accountId);
  if (account === null) throw accountNotFound();
  return account;
}

/** An account as operators see it. Its addresses are masked unless they are revealed. */
function accountMessage(account: PlatformAccount, isRevealed = false): MessageInitShape<typeof PlatformAccountSchema> {
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

function sessionMessage(session: PlatformSession): MessageInitShape<typeof PlatformSessionSchema> {
  return {
    id: session.id,
    accountId: session.account_id,
    createdAt: timestampFromDate(session.created_at),
    authenticatedAt: timestampFromDate(session.authenticated_at),
    lastSeenAt: timestampFromDate(session.last_seen_at),
    expiresAt: timestampFromDate(session.expires_at),
  };
}
