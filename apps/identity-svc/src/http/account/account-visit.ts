import { newToken } from "@platform/kit/process/secrets";
import type { Request, RequestHandler, Response } from "express";
import type { Language } from "../../domain/page-language.ts";
import { isRegistering, type PlatformAccount } from "../../domain/platform-account.ts";
import {
  isRecentlyAuthenticated,
  type PlatformSession,
  sessionLifetimeSeconds,
} from "../../domain/platform-session.ts";
import { pageLanguage } from "../chosen-language.ts";
import { formToken, requireOwnForm } from "../form-token.ts";
import { leadTo } from "../send-page.ts";
import { findVisitorsSession, type HostedPages } from "../visit.ts";

/** A request for the account page from a browser in which nobody has signed in. */
export type Visitor = { readonly language: Language; readonly formToken: string };

/** A request from a signed-in person. */
export type AccountVisit = Visitor & {
  readonly account: PlatformAccount;
  /** The address that the account signs in with. */
  readonly email: string;
  readonly session: PlatformSession;
  /** True if the password was entered so recently that the account may be changed. */
  readonly isRecent: boolean;
};

/** The pages that require the password if it was not entered recently. They are also the pages to return to. */
export const guardedPages = ["password", "address", "data", "delete"] as const;
export type GuardedPage = (typeof guardedPages)[number];

/** The reports that a page can show once after a redirect. */
const notices = ["session_ended", "sessions_ended", "password_changed", "address_changed"] as const;
export type Notice = (typeof notices)[number];

/** Reads which person is signed in. Null if nobody is, or if the address of a registration is not verified. */
export async function readAccountVisit(pages: HostedPages, request: Request): Promise<AccountVisit | null> {
  const { context, cookies } = pages;
  const session = await findVisitorsSession(pages, request);
  const account = session === null ? null : await context.accounts.find(session.account_id);
  if (session === null || account === null || isRegistering(account)) return null;
  return {
    account,
    email: account.login_identifiers[0]?.email ?? "",
    session,
    isRecent: isRecentlyAuthenticated(session, context.clock(), context.recentAuthenticationSeconds),
    language: pageLanguage(cookies, request, null),
    // Derived from the session's secret, so that a form of another session is rejected, even of the same person.
    formToken: formToken(
      context.keyring.current,
      `account ${session.id} ${cookies.read(request, "platform_session") ?? ""}`,
    ),
  };
}

/**
 * Reads a browser without a session. @param response receives the secret of its forms if the browser has none yet; null
 * if a form was posted
 */
export function readVisitor({ context, cookies }: HostedPages, request: Request, response: Response | null): Visitor {
  const brought = cookies.read(request, "platform_visitor") ?? "";
  const isSecret = /^[0-9a-f]{64}$/.test(brought);
  // A browser without a secret has not been shown a form. It gets a new secret, so that no token it posts can be
  // valid.
  const secret = isSecret ? brought : newToken();
  if (!isSecret && response !== null) cookies.set(response, "platform_visitor", secret, sessionLifetimeSeconds);
  return {
    language: pageLanguage(cookies, request, null),
    formToken: formToken(context.keyring.current, `visitor ${secret}`),
  };
}

type SignedInHandler = (visit: AccountVisit, request: Request, response: Response) => Promise<void>;

/**
 * Handles a page or a form for a signed-in person, and redirects everyone else to the sign-in. A form must contain
 * the token of this session.
 */
export function signedIn(pages: HostedPages, handle: SignedInHandler): RequestHandler {
  return async (request, response) => {
    const visit = await readAccountVisit(pages, request);
    if (visit === null) return leadTo(response, "account/sign-in");
    if (request.method === "POST") requireOwnForm(request, visit.formToken);
    await handle(visit, request, response);
  };
}

/**
 * Requires a recent sign-in, for pages that change, export or delete the account. A person who has not entered the
 * password recently is asked for it first.
 */
export function recentlySignedIn(pages: HostedPages, page: GuardedPage, handle: SignedInHandler): RequestHandler {
  return signedIn(pages, async (visit, request, response) => {
    if (!visit.isRecent) return leadTo(response, `account/reauthenticate?next=${page}`);
    await handle(visit, request, response);
  });
}

/** Redirects to the account page, which shows a notice about the completed action. */
export function leadToAccount({ cookies }: HostedPages, response: Response, notice: Notice): void {
  cookies.set(response, "platform_notice", notice, 60);
  leadTo(response, "account");
}

/**
 * Returns and clears the notice of the previous redirect, or null. It is stored in a cookie, so that a link cannot make
 * a page show something untrue.
 */
export function takeNotice({ cookies }: HostedPages, request: Request, response: Response): Notice | null {
  const brought = cookies.read(request, "platform_notice");
  const notice = notices.find((each) => each === brought) ?? null;
  if (notice !== null) cookies.clear(response, "platform_notice");
  return notice;
}
