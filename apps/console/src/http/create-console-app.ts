import { isUuid, newId } from "@platform/kit/process/secrets";
import { dependencyUnavailable, isServiceError } from "@platform/kit/rpc/errors";
import { html } from "@platform/kit/web/http";
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from "express";
import helmet from "helmet";
import { askForAction, requireRoleFor, runAction } from "./action.ts";
import { assetRoutes } from "./assets.ts";
import type { ConsoleContext } from "./console-context.ts";
import { readForm, requireOwnForm } from "./forms.ts";
import { boundInputs, requireBoundedForm } from "./inputs.ts";
import { showList } from "./list.ts";
import { PageProblem, statusOf, titleOf } from "./page-problem.ts";
import { operatorPage, type Page, publicPage } from "./pages/layout.ts";
import { enterProject, leadToProjects } from "./project-visitors.ts";
import { recentProjects, recentSeconds } from "./recent-projects.ts";
import type { Action, Answer, Screen } from "./screen.ts";
import { tailPath } from "./screens/event-tail.ts";
import { ownProjects, projectStart } from "./screens/projects.ts";
import { screens } from "./screens.ts";
import { type SignedInLocals, signInRoutes, signOut } from "./sign-in-routes.ts";
import { statusRoute } from "./status-page.ts";
import { createVisit, type Visit } from "./visit.ts";
import { pageWithin, pathBelow, pathWithin } from "./within-project.ts";

const largePaths = screens.flatMap(({ actions = [] }) =>
  actions.filter(({ isLarge }) => isLarge === true).map(({ path }) => path),
);

type Handler = (visit: Visit) => Promise<Answer>;

/** Previous paths of pages with their current paths, so that old links still work. */
const movedPages: Readonly<Record<string, string>> = {
  "/activity": "/deliveries",
  "/activity/retry": "/deliveries/retry",
};

/** Creates the Express application with the console's pages. */
export function createConsoleApp(context: ConsoleContext): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", "simple");
  app.use(headers(context));
  app.use("/assets", assetRoutes());
  app.use(boundInputs);
  app.use((_request, response, next) => {
    response.set("cache-control", "no-store");
    next();
  });
  app.get("/status", (request, response, next) => {
    context.networkLimit(request, response);
    return statusRoute(context.health)(request, response, next);
  });
  for (const [from, to] of Object.entries(movedPages))
    app.get(from, (request, response) => {
      response.redirect(308, `${to}${new URL(request.originalUrl, "http://console").search}`);
    });
  app.use(signInRoutes(context));
  app.use(requireSession(context));
  app.use(limitPerson(context));
  app.use(readForm(context, largePaths));
  app.use((request, response, next) => {
    requireBoundedForm(request);
    if (request.method === "POST")
      requireOwnForm(request, signedIn(response).session.csrf, new URL(context.config.baseUrl).origin);
    next();
  });
  app.post("/sign-out", signOut(context));
  const pages = Router();
  for (const screen of screens) addScreen(pages, screen, context);
  app.get(
    "/projects",
    answered(context, async (visit) => ownProjects(await visit.projectClients())),
  );
  app.use("/projects/:project", enterProject(context));
  app.get("/projects/:project", answered(context, projectStart));
  app.use("/projects/:project", pages);
  app.use(leadToProjects(context));
  app.use(pages);
  app.use(() => {
    throw new PageProblem(404, titleOf(404), "Use the search above, or start at the overview.");
  });
  app.use(problemHandler(context));
  return app;
}

/** Creates a request handler that responds with the result of a page's handler. */
function answered(context: ConsoleContext, handler: Handler): RequestHandler {
  return async (request, response) => {
    const visit = visitOf(context, request, response);
    await send(context, visit, await handler(visit));
  };
}

const visitOf = (context: ConsoleContext, request: Request, response: Response): Visit => {
  const locals = signedIn(response);
  return createVisit({ ...context, ...locals, project: locals.project ?? null, request, response });
};

function addScreen(router: Pick<Router, "get" | "post">, screen: Screen, context: ConsoleContext): void {
  const permitted = (needed: Pick<Action, "method" | "isReveal">, handler: Handler): RequestHandler =>
    answered(context, (visit) => {
      requireRoleFor(visit, needed);
      return handler(visit);
    });
  for (const listing of screen.lists ?? [])
    router.get(
      listing.path,
      permitted({ method: listing.method }, (visit) => showList(visit, listing)),
    );
  for (const action of screen.actions ?? []) {
    router.get(
      action.path,
      permitted(action, (visit) => askForAction(visit, action)),
    );
    router.post(
      action.path,
      permitted(action, (visit) => runAction(visit, action)),
    );
  }
  // This route must be last, because `/clients/:id` also matches `/clients/new`.
  for (const { path, method, show } of screen.views ?? []) router.get(path, permitted({ method }, show));
}

async function send({ sessions, cookies }: ConsoleContext, visit: Visit, answer: Answer): Promise<void> {
  const { response, sessionId } = visit;
  if (answer === null) return;
  if ("redirect" in answer) {
    if (answer.notice !== undefined) await sessions.leaveNotice(sessionId, answer.notice);
    const { project } = visit;
    return response.redirect(303, project === null ? answer.redirect : pathWithin(project.id, answer.redirect));
  }
  const notice = visit.request.method === "GET" ? await sessions.takeNotice(sessionId) : null;
  const all = await visit.projectClients().catch(() => []);
  const recentIds = recentProjects(cookies.read(visit.request, "console_projects"), answer.clientId);
  if (answer.clientId !== undefined && isUuid(answer.clientId))
    cookies.set(response, "console_projects", recentIds.join("."), recentSeconds);
  const recent = recentIds.flatMap((id) => all.find((project) => project.id === id) ?? []);
  sendPage(visit, operatorPage(visit, answer, notice, { all, recent }));
}

const sendPage = ({ project, response }: Visit, page: string): void =>
  void response.type("html").send(project === null ? page : pageWithin(project.id, page));

const signedIn = (response: Response): SignedInLocals => response.locals as SignedInLocals;

/**
 * Sets the headers that define what pages may load: only files of this host. Forms for signing out may also continue at
 * the identity provider.
 */
function headers({ providers, config }: ConsoleContext): RequestHandler {
  const others = helmet({
    contentSecurityPolicy: false,
    // With `no-referrer`, the browser would send a form's Origin as `null`.
    referrerPolicy: { policy: "same-origin" },
    frameguard: { action: "deny" },
    strictTransportSecurity: config.baseUrl.startsWith("https:"),
  });
  return (request, response, next) => {
    const given = request.get("x-correlation-id") ?? "";
    response.locals.correlationId = isUuid(given) ? given : newId();
    const targets = ["'self'", ...providers.origins()].join(" ");
    response.set(
      "content-security-policy",
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    );
    response.set("x-correlation-id", response.locals.correlationId);
    others(request, response, next);
  };
}

/** Finds the session of a request, or redirects to the sign-in. */
function requireSession({ sessions, cookies, networkLimit }: ConsoleContext): RequestHandler {
  return async (request, response, next) => {
    const sessionId = cookies.read(request, "console");
    const session = sessionId === null ? null : await sessions.find(sessionId).catch(storeFailed);
    if (session !== null) {
      Object.assign(response.locals, { session, sessionId });
      return next();
    }
    networkLimit(request, response);
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new PageProblem(401, "You are not signed in", "Nothing was done. Sign in and send the form again.");
    response.redirect(303, `/sign-in?to=${encodeURIComponent(request.originalUrl)}`);
  };
}

/** Limits the number of a person's concurrent requests. Live tails are counted separately, because they stay open. */
function limitPerson({ personLimits }: ConsoleContext): RequestHandler {
  return async (request, response, next) => {
    const { subject } = signedIn(response).session;
    if (pathBelow(request.path) === tailPath) personLimits.openTail(subject, response);
    else if (!(await personLimits.enter(subject, response))) return;
    next();
  };
}

const storeFailed = (error: unknown): never => {
  throw dependencyUnavailable(error);
};

/** Renders an error as a page. */
function problemHandler(context: ConsoleContext): ErrorRequestHandler {
  const { logger, sessions, cookies, backend } = context;
  return async (error: unknown, request, response, _next) => {
    if (response.headersSent) return void response.destroy();
    const { correlationId, session, sessionId } = response.locals as Partial<SignedInLocals>;
    const { status, title, message } = problemOf(error);
    if (status >= 500) logger.error({ err: error, correlation_id: correlationId }, "a page failed");
    if (isServiceError(error, "unauthenticated") && session !== undefined && sessionId !== undefined) {
      // The operator session was ended elsewhere, so the console's session ends as well.
      await sessions.end(sessionId).catch(() => {});
      backend.forget(session.operatorToken);
      cookies.clear(response, "console");
      if (request.method === "GET")
        return response.redirect(303, `/sign-in?to=${encodeURIComponent(request.originalUrl)}`);
    }
    response.status(status).removeHeader("content-disposition");
    const body = html`<p class="alert alert-danger" role="alert">${message}</p>
<p class="text-secondary">Correlation id <code>${correlationId}</code></p>`;
    if (session === undefined || sessionId === undefined || status === 401)
      return void response
        .type("html")
        .send(publicPage(title, html`${body}<p><a class="btn btn-primary" href="/sign-in">Sign in</a></p>`));
    const visit = visitOf(context, request, response);
    const page: Page = { title, body };
    sendPage(visit, operatorPage(visit, page, null, { all: [], recent: [] }));
  };
}

function problemOf(error: unknown): { status: number; title: string; message: string } {
  if (error instanceof PageProblem) return error;
  if (isServiceError(error)) {
    const status = statusOf(error);
    return { status, title: titleOf(status), message: error.message };
  }
  // Errors of the body parser: a body that is too large, has an unknown charset or ended early.
  const { status } = error as { status?: unknown };
  if (typeof status === "number" && status >= 400 && status < 500)
    return { status, title: titleOf(status), message: "The form could not be read." };
  return { status: 500, title: titleOf(500), message: "An error in the console prevented this page from being shown." };
}
