import {
  AccountAdminService,
  type PlatformAccount,
  type PlatformSession,
} from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { readSecret } from "../../secrets.ts";
import { parseInteger, timeOrNull } from "./timestamps.ts";

/** `accounts …` and `sessions …`: Platform Accounts and Platform Sessions. */
export function registerAccountCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(AccountAdminService);

  const accounts = program.command("accounts").description("Platform Accounts: the people who sign in.");
  accounts
    .command("create")
    .description("Make a Platform Account that signs in with an email address and a password.")
    .requiredOption("--email <address>", "its Login Identifier")
    .option("--password-stdin", "read the password from standard input; without it a terminal asks for it")
    .option("--password <password>", "the password itself, which others on this machine can see: local stack only")
    .option("--verified", "mark the address verified now")
    .addHelpText(
      "after",
      "\n8 to 256 characters.\n\nExample:\n  platformctl accounts create --email ann@example.com --password-stdin --verified < password.txt",
    )
    .action(async (options: { email: string; password?: string; passwordStdin?: boolean; verified?: boolean }) => {
      const { email, verified } = options;
      const password =
        options.password ?? (await readSecret("--password-stdin", options.passwordStdin === true, "Password"));
      const reply = await admin().createAccount({ email, password, verified: verified === true }, ctl.call());
      const { id } = accountForm(reply.account);
      ctl.print({ id });
    });
  accounts
    .command("show")
    .description("Show a Platform Account and its Login Identifiers.")
    .requiredOption("--account <id>", "account id")
    .action(async (options: { account: string }) => {
      const reply = await admin().showAccount({ accountId: options.account }, ctl.call());
      ctl.print(accountForm(reply.account));
    });

  const sessions = program.command("sessions").description("Platform Sessions: 12 hours idle, 7 days at most.");
  sessions
    .command("create")
    .description("Open a session without a sign-in. Its token is printed once and cannot be shown again.")
    .requiredOption("--account <id>", "account id")
    .option("--authenticated-seconds-ago <seconds>", "pretend the password was given that long ago (default 0)")
    .addHelpText("after", `\nExample:\n  platformctl sessions create --account <id> --authenticated-seconds-ago 700`)
    .action(async (options: { account: string; authenticatedSecondsAgo?: string }) => {
      const secondsAgo = parseInteger("--authenticated-seconds-ago", options.authenticatedSecondsAgo ?? "0", 0);
      const reply = await admin().createSession(
        { accountId: options.account, authenticatedSecondsAgo: BigInt(secondsAgo) },
        ctl.call(),
      );
      ctl.print({ session: reply.sessionToken });
    });
  sessions
    .command("list")
    .description("List an account's usable sessions, newest first.")
    .requiredOption("--account <id>", "account id")
    .action(async (options: { account: string }) => {
      const reply = await admin().listSessions({ accountId: options.account }, ctl.call());
      ctl.print(reply.sessions.map(sessionForm));
    });
  sessions
    .command("revoke")
    .description("End a session now, on every gateway within a second.")
    .requiredOption("--session-id <id>", "id of the session, as listed")
    .action(async (options: { sessionId: string }) => {
      await admin().revokeSession({ sessionId: options.sessionId }, ctl.call());
      ctl.print({ id: options.sessionId, revoked: true });
    });
}

function accountForm(account: PlatformAccount | undefined) {
  if (account === undefined) throw new Error("identity-svc answered without an account");
  return {
    id: account.id,
    login_identifiers: account.loginIdentifiers.map(({ email, verifiedAt }) => ({
      email,
      verified_at: timeOrNull(verifiedAt),
    })),
    created_at: timeOrNull(account.createdAt),
  };
}

function sessionForm(session: PlatformSession | undefined) {
  if (session === undefined) throw new Error("identity-svc answered without a session");
  return {
    id: session.id,
    account_id: session.accountId,
    created_at: timeOrNull(session.createdAt),
    authenticated_at: timeOrNull(session.authenticatedAt),
    last_seen_at: timeOrNull(session.lastSeenAt),
    expires_at: timeOrNull(session.expiresAt),
  };
}
