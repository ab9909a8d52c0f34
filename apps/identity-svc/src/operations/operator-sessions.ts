import { hashToken, newId, newToken, tokenMatches } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { formatSecretKey, parseSecretKey, secretKeyIdOf } from "../domain/secret-key.ts";
import type { IdentityContext } from "../identity-context.ts";
import type { OperatorSession } from "../store/operator-sessions.ts";

/** From sign-in to the next one. Roles that the identity provider takes away end with it. */
const sessionHours = 8;

/**
 * Opens a session for the person an ID token names. Its secret is shown only here.
 * @throws ServiceError operator_sign_in_not_configured, unauthenticated, permission_denied
 */
export async function openOperatorSession(
  context: IdentityContext,
  idToken: string,
): Promise<{ session: OperatorSession; token: string }> {
  if (context.operatorSignIn === null) throw signInNotConfigured();
  const now = context.clock();
  const { person, statementSha256 } = await context.operatorSignIn.verify(idToken, now);
  const session: OperatorSession = {
    id: secretKeyIdOf(newId()),
    ...person,
    created_at: now,
    expires_at: new Date(now.getTime() + sessionHours * 3_600_000),
    ended_at: null,
  };
  const secret = newToken();
  const isNew = await context.operatorSessions.insert(session, {
    secret: hashToken(secret),
    idToken: statementSha256,
  });
  if (!isNew) throw new ServiceError("unauthenticated", "This ID token has opened a session before; sign in again.");
  return { session, token: formatSecretKey("poper", session.id, secret) };
}

/** The session a token opens. Throws unauthenticated when there is none, or when it has ended. */
export async function requireOperatorSession(context: IdentityContext, token: string): Promise<OperatorSession> {
  const presented = parseSecretKey("poper", token);
  const found = presented === null ? null : await context.operatorSessions.findWithHash(presented.id);
  if (presented === null || found === null || !tokenMatches(presented.secret, found.secretSha256)) throw sessionOver();
  if (found.session.ended_at !== null || found.session.expires_at <= context.clock()) throw sessionOver();
  return found.session;
}

const sessionOver = (): ServiceError =>
  new ServiceError("unauthenticated", "The operator session has ended; sign in again with platformctl login.");

export const signInNotConfigured = (): ServiceError =>
  new ServiceError(
    "operator_sign_in_not_configured",
    "This platform has no identity provider for operators (OPERATOR_OIDC_ISSUER).",
  );
