import { defined } from "@platform/kit/process/fields";
import { hashToken, newId, newToken, tokenMatches } from "@platform/kit/process/secrets";
import type { Membership } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { OpenSession } from "@platform/operator-plane/operators";
import { formatSecretKey, parseSecretKey, secretKeyIdOf } from "../domain/secret-key.ts";
import type { IdentityContext } from "../identity-context.ts";
import type { OperatorSession } from "../store/operator-sessions.ts";

/**
 * Maximum lifetime of a session, in hours. A role that the identity provider removes is lost at the latest when the
 * session ends.
 */
const sessionHours = 8;

/**
 * Opens a session for the person in an ID token. Its secret is shown only here.
 * @param network source network of the sign-in; empty if it is not known
 * @throws ServiceError operator_sign_in_not_configured, unauthenticated, permission_denied for people who have no role
 * and are not members of any project
 */
export async function openOperatorSession(
  context: IdentityContext,
  idToken: string,
  network: string,
): Promise<{ session: OperatorSession; token: string }> {
  const now = context.clock();
  const { person, statementSha256 } = await context.signIn.verify(idToken, now);
  const { subject, name, roles, verifiedEmail, signedInAt, providerSid } = person;
  await context.members.noteSignIn(subject, verifiedEmail, now);
  if (roles.length === 0 && (await membershipsOf(context, subject)).length === 0) throw nobodyHere();
  const session: OperatorSession = {
    id: secretKeyIdOf(newId()),
    subject,
    name,
    roles,
    signed_in_at: signedInAt,
    last_seen_at: now,
    ...defined({ network: network === "" ? undefined : network, provider_sid: providerSid }),
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

/** Returns the session of a token. Throws unauthenticated if there is none or it has ended. */
export async function requireOperatorSession(context: IdentityContext, token: string): Promise<OperatorSession> {
  const presented = parseSecretKey("poper", token);
  const found = presented === null ? null : await context.operatorSessions.findWithHash(presented.id);
  if (presented === null || found === null || !tokenMatches(presented.secret, found.secretSha256)) throw sessionOver();
  if (found.session.ended_at !== null || found.session.expires_at <= context.clock()) throw sessionOver();
  return found.session;
}

const sessionOver = (): ServiceError =>
  new ServiceError("unauthenticated", "The operator session has ended; sign in again with platformctl login.");

/** The open session of an id, with the projects of its person; null once it has ended. */
export async function findOpenSession(context: IdentityContext, sessionId: string): Promise<OpenSession | null> {
  const found = await context.operatorSessions.findWithHash(sessionId);
  if (found === null || found.session.ended_at !== null || found.session.expires_at <= context.clock()) return null;
  return { memberships: await membershipsOf(context, found.session.subject) };
}

/**
 * The projects that a person is a member of. Erased projects are not among them, because erasing a project deletes
 * its members.
 */
export async function membershipsOf(context: IdentityContext, subject: string): Promise<Membership[]> {
  const members = await context.members.listOf(subject);
  const known = await Promise.all(
    members.map(async ({ project_client_id: clientId, role }) => {
      const client = await context.clients.find(clientId);
      return client === null ? [] : [{ clientId, role, isClientDisabled: client.disabled_at !== null }];
    }),
  );
  return known.flat();
}

const nobodyHere = (): ServiceError =>
  new ServiceError(
    "permission_denied",
    "The identity provider gives you no role here, and no project has invited your address. An address counts only when the provider says that it is verified (claim email_verified).",
  );
