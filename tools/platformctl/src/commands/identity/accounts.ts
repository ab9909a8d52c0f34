import { accounts as table } from "@platform/contracts/operator/accounts";
import { platformSessions } from "@platform/contracts/operator/platform-sessions";
import { rowOf } from "@platform/contracts/operator/row-values";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import {
  AccountAdminService,
  type PlatformSession,
  PlatformSessionSchema,
} from "@platform/proto/identity/v1/identity_admin";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { registerResource } from "../../operator-commands.ts";
import { limitOption, readLimit } from "../../pages.ts";
import { readSecret } from "../../secrets.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";
import { listSignedIn, registerEndCommand } from "./operator-sessions.ts";
import { parseInteger } from "./timestamps.ts";

/** Commands `accounts …` and `sessions …`, for Platform Accounts and Platform Sessions. */
export function registerAccountCommands(program: Command, ctl: Ctl): void {
  const admin = () => ctl.connection("identity").service(AccountAdminService);
  const support = () => ctl.connection("identity").service(AccountSupportService);

  const accounts = topLevel(program, "accounts");
  accounts
    .command("create")
    .description("Create a Platform Account that signs in with an email address and a password.")
    .requiredOption("--email <address>", "email address of its Login Identifier")
    .option("--password-stdin", "read the password from standard input; without this option, you are prompted for it")
    .option(
      "--password <password>",
      "password on the command line, where other users of this machine can see it; local stack only",
    )
    .option("--verified", "mark the address as verified")
    .addHelpText(
      "after",
      "\n8 to 256 characters.\n\nExample:\n  platformctl accounts create --email ann@example.com --password-stdin --verified < password.txt",
    )
    .action(async (options: { email: string; password?: string; passwordStdin?: boolean; verified?: boolean }) => {
      const { email, verified } = options;
      const password =
        options.password ?? (await readSecret(ctl, "--password-stdin", options.passwordStdin === true, "Password"));
      const reply = await admin().createAccount({ email, password, verified: verified === true }, ctl.call());
      if (reply.account === undefined) throw new Error("identity-svc answered without an account");
      ctl.print({ id: reply.account.id });
    });
  registerResource(accounts, ctl, table);

  const sessions = topLevel(program, "sessions");
  sessions
    .command("create")
    .description("Create a session without a sign-in. Its token is printed only now.")
    .requiredOption("--account <id>", "account id")
    .option(
      "--authenticated-seconds-ago <seconds>",
      "act as if the password had been entered this number of seconds ago (default 0)",
    )
    .addHelpText("after", `\nExample:\n  platformctl sessions create --account <id> --authenticated-seconds-ago 700`)
    .action(async (options: { account: string; authenticatedSecondsAgo?: string }) => {
      const secondsAgo = parseInteger("--authenticated-seconds-ago", options.authenticatedSecondsAgo ?? "0", 0);
      const reply = await admin().createSession(
        { accountId: options.account, authenticatedSecondsAgo: BigInt(secondsAgo) },
        ctl.call(),
      );
      ctl.print({ session: reply.sessionToken });
    });
  limitOption(sessions.command("list"))
    .description(
      "List the active sessions of an account, of the platform's operators or of a project's members, newest first.",
    )
    .option("--account <id>", "account id; lists its Platform Sessions")
    .option("--operators", "list the console and platformctl sessions of people with a role on the platform")
    .option("--client <id>", "Project Client id; lists the sessions of the project's members")
    .option("--cursor <cursor>", "next_cursor of the previous page")
    .action(async (options: SessionListOptions) => {
      const limit = readLimit(options);
      if ([options.account, options.operators, options.client].filter((given) => given !== undefined).length !== 1)
        throw new UsageError("give one of --account, --operators and --client");
      if (options.account === undefined) return listSignedIn(ctl, options);
      const reply = await admin().listSessions({ accountId: options.account }, ctl.call());
      ctl.print(reply.sessions.slice(0, limit).map(sessionForm));
    });
  registerEndCommand(sessions, ctl);
  sessions
    .command("revoke")
    .description("End a session, or every session of an account. Every gateway rejects it within one second.")
    .option("--session-id <id>", "session id, as listed")
    .option("--account <id>", "account id")
    .action(async ({ sessionId, account: accountId }: { sessionId?: string; account?: string }) => {
      if ((sessionId === undefined) === (accountId === undefined)) {
        throw new UsageError("give either --session-id or --account");
      }
      if (accountId !== undefined) {
        const { revoked } = await support().revokeAccountSessions({ accountId }, ctl.call());
        return ctl.print({ account_id: accountId, revoked });
      }
      await admin().revokeSession({ sessionId: sessionId ?? "" }, ctl.call());
      ctl.print({ id: sessionId, revoked: true });
    });
}

type SessionListOptions = {
  readonly account?: string;
  readonly operators?: true;
  readonly client?: string;
  readonly limit?: string;
  readonly cursor?: string;
};

const sessionForm = (session: PlatformSession) => rowOf(PlatformSessionSchema, platformSessions.columns, session);
