import { newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import { isEmailAddress, normalizeEmail } from "@platform/kit/web/mail";
import { invalidRequest } from "@platform/operator-plane/operators";
import type { AccountAdminService } from "@platform/proto/identity/v1/identity_admin";
import { passwordLengthMax, passwordLengthMin, passwordProblem } from "../../domain/password-rule.ts";
import type { IdentityContext } from "../../identity-context.ts";
import { accountMessage } from "./account-messages.ts";

/** As long as the address that a migration asserts. */
const emailLengthMax = 255;

type Rpc = Implementation<typeof AccountAdminService>["createAccount"];

export function createAccount(context: IdentityContext): Rpc {
  return async (request) => {
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
  };
}
