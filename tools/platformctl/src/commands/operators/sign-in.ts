import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRoleName, type RoleName, roleNames } from "@platform/kit/rpc/client";
import { OperatorAccessService, type OperatorSession } from "@platform/proto/identity/v1/operator_access";
import type { Command } from "commander";
import type { Ctl } from "../../ctl.ts";
import { isoOrNull } from "../../options.ts";
import { topLevel } from "../../top-level.ts";
import { UsageError } from "../../usage-error.ts";

/** `login`, `logout`, `whoami`. */
export function registerSignInCommands(program: Command, ctl: Ctl): void {
  const access = () => ctl.signInConnection().service(OperatorAccessService);

  topLevel(program, "login")
    .option("--as <role>", `local stack only: sign in as its ${roleNames.join(", ")}, without a browser`)
    .addHelpText("after", "\nExamples:\n  platformctl login\n  platformctl login --as support")
    .action(async (options: { as?: string }) => {
      const role = options.as;
      if (role !== undefined && !isRoleName(role)) throw new UsageError(`--as takes ${roleNames.join(", ")}`);
      const signIn = await access().getOperatorSignIn({}, ctl.call());
      // Only commands that sign in load the OpenID library.
      const { signInByDeviceCode, signInLocally } = await import("../../sign-in/openid.ts");
      const idToken =
        role === undefined
          ? await signInByDeviceCode(signIn, ({ url, code }) =>
              process.stderr.write(`Open ${url}\nand confirm the code ${code}\n`),
            )
          : await signInLocally(signIn, role, localPassword(ctl, role));
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

/** The password of the local stack's person with this role. */
function localPassword(ctl: Ctl, role: RoleName): string {
  const path = join(ctl.stackDirectory(), "operators.env");
  if (!existsSync(path)) throw new UsageError("--as signs in at a local stack, and none is found here");
  const name = `OPERATOR_${role.toUpperCase()}_PASSWORD`;
  const [, password] = new RegExp(`^${name}=(.+)$`, "m").exec(readFileSync(path, "utf8")) ?? [];
  if (password === undefined) throw new Error(`${path} has no ${name}`);
  return password;
}

function sessionForm(session: OperatorSession | undefined) {
  if (session === undefined) throw new Error("identity-svc answered without a session");
  const { subject, name, roles, expiresAt } = session;
  return { subject, name, roles, expires_at: isoOrNull(expiresAt) };
}
