import type { Logger } from "@platform/kit/process/telemetry";
import { isServiceError } from "@platform/kit/rpc/errors";
import { isStoreFailure } from "@platform/kit/store/documents";
import { sendServiceError } from "@platform/kit/web/http";
import express, { type ErrorRequestHandler, type Express, type Request } from "express";
import helmet from "helmet";
import type { ShownBrand } from "../domain/brand.ts";
import type { Language } from "../domain/page-language.ts";
import type { IdentityContext } from "../identity-context.ts";
import { accountRoutes } from "./account/account-routes.ts";
import { assetRoutes } from "./assets.ts";
import { chooseLanguage, pageLanguage } from "./chosen-language.ts";
import { createHostedCookies } from "./cookies.ts";
import { boundInputs } from "./inputs.ts";
import { pagesBase } from "./page-address.ts";
import { PageProblem } from "./page-problem.ts";
import { confirmPage } from "./pages/confirm-page.ts";
import { problemPage } from "./pages/problem-page.ts";
import { reauthenticatePage } from "./pages/reauthenticate-page.ts";
import { registerPage } from "./pages/register-page.ts";
import { signInPage } from "./pages/sign-in-page.ts";
import { requestCorrelationId } from "./request-source.ts";
import { cancelRoute, confirmRoute, returnRoute, signOutRoute } from "./routes/confirm.ts";
import { confirmContactRoute, removeContactRoute, showContactRoute } from "./routes/contacts.ts";
import { continueRoute } from "./routes/continue.ts";
import {
  forgotPasswordRoute,
  resetPasswordRoute,
  showForgotPasswordRoute,
  showResetPasswordRoute,
} from "./routes/password-reset.ts";
import { registerRoute } from "./routes/register.ts";
import { reauthenticateRoute, showStep, signInRoute } from "./routes/sign-in.ts";
import { followLinkRoute, lookAtLinkRoute, wantsPage } from "./routes/verification-link.ts";
import { sendMailRoute, showVerifyEmailRoute, verifyEmailRoute } from "./routes/verify-email.ts";
import { contentSecurityPolicy, sendPage } from "./send-page.ts";
import { findBoundContinuation, type HostedPages } from "./visit.ts";

const linkPath = "/api/v1/identity-migration-transactions/:transactionId/verify-email/:token";

/** The hosted pages and the emailed link, as the gateway proxies them. */
export function createHostedApp(context: IdentityContext, logger: Logger): Express {
  const pages: HostedPages = { context, cookies: createHostedCookies(context.publicBaseUrl) };
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.locals.platformBrand = context.platformBrand;
  app.set("query parser", "simple");
  app.use(
    // Pages set their own policy; this one covers all other responses.
    helmet({ contentSecurityPolicy: false, referrerPolicy: { policy: "no-referrer" }, frameguard: { action: "deny" } }),
    (_request, response, next) => {
      response.set("content-security-policy", contentSecurityPolicy);
      response.set("cache-control", "no-store");
      next();
    },
  );
  app.use(`${pagesBase}/assets`, assetRoutes());
  app.head(linkPath, lookAtLinkRoute);
  app.get(linkPath, followLinkRoute(pages));

  const router = express.Router();
  router.use(express.urlencoded({ extended: false, limit: "16kb", parameterLimit: 20 }), boundInputs);
  router.use(chooseLanguage(pages.cookies));
  router.post("/continue", continueRoute(pages));
  router.get(
    "/sign-in",
    showStep(pages, "sign-in", (visit) => signInPage(visit, null)),
  );
  router.post("/sign-in", signInRoute(pages));
  router.get(
    "/register",
    showStep(pages, "sign-in", (visit) => registerPage(visit, null)),
  );
  router.post("/register", registerRoute(pages));
  router.get("/forgot-password", showForgotPasswordRoute(pages));
  router.post("/forgot-password", forgotPasswordRoute(pages));
  router.get("/reset-password/:token", showResetPasswordRoute(pages));
  router.post("/reset-password", resetPasswordRoute(pages));
  router.post("/contacts/confirm", confirmContactRoute(pages));
  router.post("/contacts/remove", removeContactRoute(pages));
  router.get("/contacts/:token", showContactRoute(pages));
  router.get(
    "/reauthenticate",
    showStep(pages, "reauthenticate", (visit) => reauthenticatePage(visit, null)),
  );
  router.post("/reauthenticate", reauthenticateRoute(pages));
  router.get("/verify-email", showVerifyEmailRoute(pages));
  router.post("/verify-email", verifyEmailRoute(pages));
  router.post("/send-mail", sendMailRoute(pages));
  router.get("/confirm", showStep(pages, "confirm", confirmPage));
  router.post("/confirm", confirmRoute(pages));
  router.post("/cancel", cancelRoute(pages));
  router.get("/return", returnRoute(pages));
  router.post("/sign-out", signOutRoute(pages));
  router.use("/account", accountRoutes(pages));
  app.use(pagesBase, router);
  app.use(() => {
    throw new PageProblem("not_found", 404);
  });
  app.use(problemHandler(pages, logger));
  return app;
}

/** Renders an error as a page, or as the gateway's envelope for callers that accept no page. */
function problemHandler(pages: HostedPages, logger: Logger): ErrorRequestHandler {
  return async (error: unknown, request, response, _next) => {
    const correlationId = requestCorrelationId(request);
    const problem = toProblem(error);
    if (problem.status >= 500) logger.error({ err: error, correlation_id: correlationId }, "a hosted page failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (request.path.includes("/verify-email/") && !wantsPage(request)) return sendServiceError(response, error);
    const { language, brand } = await lookFor(pages, request);
    sendPage(response, { ...problemPage(language, problem, correlationId), brand }, problem.status);
  };
}

function toProblem(error: unknown): PageProblem {
  if (error instanceof PageProblem) return error;
  if (isServiceError(error, "dependency_unavailable")) return new PageProblem("unavailable", 503);
  // The body parser reports a body that is too large, has an unknown charset or ended early.
  const { status } = error as { status?: unknown };
  if (typeof status === "number" && status >= 400 && status < 500) return new PageProblem("too_large", status);
  return isStoreFailure(error) ? new PageProblem("unavailable", 503) : new PageProblem("internal", 500);
}

/** Language and brand of an error page: those of the transaction if the browser is bound to one, otherwise the browser's language and the platform's brand. */
async function lookFor(
  pages: HostedPages,
  request: Request,
): Promise<{ readonly language: Language; readonly brand: ShownBrand }> {
  const { context, cookies } = pages;
  try {
    const bound = await findBoundContinuation(pages, request);
    const transaction =
      bound === null ? null : await context.transactions.findForPerson(bound.continuation.transaction_id);
    if (transaction !== null) {
      const brand = (await context.brands.find(transaction.project_client_id)) ?? context.platformBrand;
      return { language: pageLanguage(cookies, request, transaction.locale), brand };
    }
  } catch {
    // The error page also has to work while the database is unavailable, so a failed look-up is ignored.
  }
  return { language: pageLanguage(cookies, request, null), brand: context.platformBrand };
}
