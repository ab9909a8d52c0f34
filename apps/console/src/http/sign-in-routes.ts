import { isIP } from "node:net";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { newToken } from "@platform/kit/process/secrets";
import { isRoleName } from "@platform/kit/rpc/client";
import { isServiceError } from "@platform/kit/rpc/errors";
import { html, sourceNetwork } from "@platform/kit/web/http";
import { type Request, type RequestHandler, Router, urlencoded } from "express";
import type { Session } from "../redis/sessions.ts";
import { callbackPaths, type ProviderName, providerNames } from "../sign-in/identity-providers.ts";
import { pendingSignInSeconds } from "../sign-in/pending-sign-in.ts";
import { readProviderRefusal } from "../sign-in/provider-refusal.ts";
import type { ConsoleContext } from "./console-context.ts";
import { readInput } from "./inputs.ts";
import { PageProblem } from "./page-problem.ts";
import { publicPage } from "./pages/layout.ts";
import type { ProjectOfVisit } from "./within-project.ts";

/** Serves the sign-in by authorization code with PKCE. Signing out requires a session, so it is one of the screens. */
export function signInRoutes(context: ConsoleContext): Router {
  const router = Router();
  // Visitors of these pages have no session yet, so their networks are limited.
  router.use(["/sign-in", "/signed-out", "/back-channel-logout"], (request, response, next) => {
    context.networkLimit(request, response);
    next();
  });
  router.get("/sign-in", beginSignIn(context));
  for (const name of providerNames) router.get(callbackPaths[name], finishSignIn(context, name));
  router.post("/back-channel-logout", urlencoded({ extended: false, limit: "100kb" }), backChannelLogout(context));
  router.get("/signed-out", (_request, response) => {
    response.send(
      publicPage("You are signed out", html`<p><a class="btn btn-primary" href="/sign-in">Sign in</a></p>`),
    );
  });
  return router;
}

/** Maximum length of the path to continue to, in characters. If it is longer, the sign-in continues at the overview. */
export const pathToGoOnMax = 512;

const notAccepted = "The response of the identity provider was rejected.";

/** Returns a path of this console to continue to after the sign-in, and never an address of another site. */
export function pathToGoOn(text: unknown): string {
  if (
    typeof text !== "string" ||
    text.length > pathToGoOnMax ||
    !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) ||
    text.includes("\\")
  )
    return "/";
  return text.startsWith("/sign-") ? "/" : text;
}

function beginSignIn({ providers, pendingSignIns, cookies }: ConsoleContext): RequestHandler {
  return async (request, response) => {
    const choices = await providers.choices();
    const asked = readInput("query", request.query, "as");
    const to = pathToGoOn(request.query.to);
    const provider = choices.length === 1 ? choices[0] : choices.find((name) => name === asked);
    if (provider === undefined) return void response.send(choicePage(choices, to));
    const { url, pending } = await providers.of(provider).begin(readInput("query", request.query, "fresh") === "yes");
    const sealed = pendingSignIns.seal({ ...pending, to, provider });
    cookies.set(response, "console_sign_in", sealed, pendingSignInSeconds);
    response.redirect(303, url.href);
  };
}

const buttons: Readonly<Record<ProviderName, string>> = {
  operators: "Sign in as an operator",
  members: "Sign in as a member of a project",
};

/** Renders the page on which a person chooses the identity provider. */
const choicePage = (choices: readonly ProviderName[], to: string): string =>
  publicPage(
    "Sign in",
    html`<p class="btn-list">${choices.map(
      (name) =>
        html`<a class="btn btn-primary" href="/sign-in?as=${name}&to=${encodeURIComponent(to)}">${buttons[name]}</a>`,
    )}</p>`,
  );

/** Creates the handler of a provider's response. @param name the provider whose responses this address receives */
function finishSignIn(context: ConsoleContext, name: ProviderName): RequestHandler {
  const { providers, sessions, pendingSignIns, cookies, backend, config, logger } = context;
  return async (request, response) => {
    const begun = cookies.read(request, "console_sign_in");
    const pending = begun === null ? null : pendingSignIns.open(begun);
    cookies.clear(response, "console_sign_in");
    // If this browser did not start the sign-in, or started it at another provider, the response could sign the browser
    // in as someone else.
    if (pending === null || (pending.provider ?? "operators") !== name)
      throw new PageProblem(
        403,
        "This sign-in was not started in this browser",
        "Sign in again in one window of this browser.",
      );
    const query = new URL(request.originalUrl, "http://console").search;
    const idToken = await providers
      .of(name)
      .finish(query, pending)
      .catch((error: unknown) => {
        const refusal = readProviderRefusal(error);
        // A person who opens the address again later is already signed in, so the page says so instead of reporting a
        // failed sign-in.
        if (isServiceError(error)) throw error;
        logger.warn({ err: error, reason: refusal?.logged }, "a sign-in was rejected");
        throw new PageProblem(403, "The sign-in failed", refusal?.shown ?? notAccepted);
      });
    const { session, sessionToken } = await backend.access.createOperatorSession(
      { idToken, network: networkOf(request) },
      { context: backend.contextOf(response.locals.correlationId) },
    );
    const endsAt = session?.expiresAt === undefined ? 0 : timestampDate(session.expiresAt).getTime();
    // A session always gets a new id, even if the browser already has one.
    const before = cookies.read(request, "console");
    if (before !== null) await sessions.end(before);
    const id = await sessions.open({
      subject: session?.subject ?? "",
      name: session?.name ?? "",
      roles: (session?.roles ?? []).filter(isRoleName),
      operatorToken: sessionToken,
      idToken,
      csrf: newToken(),
      provider: name,
      ...(session?.signedInAt === undefined ? {} : { signedInAtMs: timestampDate(session.signedInAt).getTime() }),
      // The time is stored in Redis and read by other consoles, so it must be a wall-clock time.
      endsAtMs: Math.min(endsAt, Date.now() + config.session.hours * 3_600_000),
    });
    cookies.set(response, "console", id);
    response.redirect(303, pending.to);
  };
}

/** Returns the source network of a browser; empty if a proxy that was not configured hides it. */
function networkOf({ ip = "", headers, app }: Request): string {
  const isHidden = headers["x-forwarded-for"] !== undefined && app.get("trust proxy") === undefined;
  return isHidden || isIP(ip.split("%")[0] ?? "") === 0 ? "" : sourceNetwork(ip);
}

/**
 * Creates the handler that signs people out when the identity provider requests it (OpenID Connect Back-Channel Logout
 * 1.0). Their sessions end at identity-svc, so that the console and every service reject them within seconds.
 */
export function backChannelLogout({ backend }: ConsoleContext): RequestHandler {
  return async (request, response) => {
    const logoutToken = readInput("field", request.body, "logout_token");
    const context = backend.contextOf(response.locals.correlationId);
    try {
      await backend.access.endSessionsByLogoutToken({ logoutToken }, { context });
      response.status(200).end();
    } catch (error) {
      if (!isServiceError(error, "unauthenticated")) throw error;
      response.status(400).json({ error: "invalid_request" });
    }
  };
}

/** Creates the handler that ends the session here, at identity-svc and, if supported, at the identity provider. */
export function signOut({ providers, sessions, cookies, backend, tails }: ConsoleContext): RequestHandler {
  return async (_request, response) => {
    const { session, sessionId, correlationId } = response.locals as SignedInLocals;
    await sessions.end(sessionId);
    tails.end(sessionId);
    cookies.clear(response, "console");
    cookies.clear(response, "console_projects");
    backend.forget(session.operatorToken);
    await backend.access
      .endOperatorSession({ sessionToken: session.operatorToken }, { context: backend.contextOf(correlationId) })
      .catch(() => {});
    const provider = providers.of(session.provider ?? "operators");
    const url = await provider.signOutUrl(session.idToken).catch(() => null);
    response.redirect(303, url?.href ?? "/signed-out");
  };
}

/** State of a request whose session was found. */
export type SignedInLocals = {
  readonly session: Session;
  readonly sessionId: string;
  readonly correlationId: string;
  /** Set on the pages of a project. */
  readonly project?: ProjectOfVisit;
};
