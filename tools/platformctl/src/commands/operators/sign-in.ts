import { existsSync } from "node:fs";
import { join } from "node:path";
import { roleNames } from "@platform/kit/rpc/client";
import { OperatorAccessService, type OperatorSession } from "@platform/proto/identity/v1/operator_access";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull } from "../../options.ts";
import { readTextFile } from "../../read-text.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

/** The people who can sign in at a local stack: its operators, and the people of the demo project. */
const people: readonly string[] = [...roleNames, "owner", "developer"];

/** Commands `login`, `logout` and `whoami`. */
export function registerSignInCommands(program: Command, ctl: Ctl): void {
  const access = () => ctl.signInConnection().service(OperatorAccessService);

  topLevel(program, "login")
    .option("--as <role>", `local stack only: sign in as ${people.join(", ")}, without a browser`)
    .option("--member", "sign in at the members' identity provider, on a platform that has one")
    .addHelpText("after", "\nExamples:\n  platformctl login\n  platformctl login --as support")
    .action(async (options: { as?: string; member?: true }) => {
      const role = options.as;
      const person = role === undefined ? null : localPerson(ctl, role);
      const forMembers = options.member === true || person?.isMember === true;
      const signIn = await access().getOperatorSignIn({ forMembers }, ctl.call());
      // Only commands that sign in load the OpenID library.
      const { signInByDeviceCode, signInLocally } = await import("../../sign-in/openid.ts");
      const idToken =
        role === undefined || person === null
          ? await signInByDeviceCode(signIn, ({ url, code }) =>
              process.stderr.write(`Open ${url}\nand confirm the code ${code}\n`),
            )
          : await signInLocally(signIn, role, person.password);
      const { session, sessionToken } = await access().createOperatorSession({ idToken }, ctl.call());
      ctl.session.write(sessionToken);
      ctl.print(sessionForm(session));
    });

  topLevel(program, "logout").action(async () => {
    const session = ctl.session.read();
    if (session !== null) {
      ctl.session.remove();
      await access().endOperatorSession({ sessionToken: session.session_token }, ctl.call());
    }
    ctl.print({ signed_in: false });
  });

  topLevel(program, "whoami").action(async () => {
    const stored = ctl.session.read();
    if (stored === null) {
      if (ctl.operatorToken() === undefined) throw new Error("nobody is signed in; run platformctl login");
      ctl.print({ subject: "break-glass", name: "OPERATOR_TOKEN", roles: ["root"], expires_at: null });
      return;
    }
    const { session } = await access().getOperatorSession({ sessionToken: stored.session_token }, ctl.call());
    ctl.print(sessionForm(session));
  });
}

/** Finds a person of the local stack by their name in its `operators.env`. */
function localPerson(ctl: Ctl, name: string): { readonly password: string; readonly isMember: boolean } {
  if (!/^[a-z]+$/.test(name)) throw new UsageError(`--as takes ${people.join(", ")}`);
  const path = join(ctl.stackDirectory(), "operators.env");
  if (!existsSync(path)) throw new UsageError("--as only works with a local stack, and none was found here");
  const [, kind, password] =
    new RegExp(`^(OPERATOR|MEMBER)_${name.toUpperCase()}_PASSWORD=(.+)$`, "m").exec(readTextFile(path, "STACK_DIR")) ??
    [];
  if (password === undefined) throw new UsageError(`--as takes ${people.join(", ")}`);
  return { password, isMember: kind === "MEMBER" };
}

function sessionForm(session: OperatorSession | undefined) {
  if (session === undefined) throw new Error("identity-svc answered without a session");
  const { subject, name, roles, expiresAt, memberships } = session;
  const projects = memberships.map(({ projectClientId, role }) => ({ client_id: projectClientId, role }));
  return { subject, name, roles, expires_at: isoOrNull(expiresAt), ...(projects.length === 0 ? {} : { projects }) };
}
