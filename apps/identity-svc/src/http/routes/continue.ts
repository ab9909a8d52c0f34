import { hashToken, isUuid, newToken } from "@platform/kit/process/secrets";
import type { RequestHandler } from "express";
import { continuationFlowMs } from "../../domain/hosted-continuation.ts";
import { isClientDisabled } from "../../operations/admit-transaction.ts";
import { formField } from "../inputs.ts";
import { pageAddress } from "../page-address.ts";
import { PageProblem, projectUnavailable } from "../page-problem.ts";
import { leadTo } from "../send-page.ts";
import { findBoundContinuation, type HostedPages } from "../visit.ts";

/**
 * The project's page posts the continuation here. A cookie with its own secret binds it to the first browser; from then
 * on, the token is useless in any other browser. The redirect keeps the token out of every URL.
 */
export function continueRoute(pages: HostedPages): RequestHandler {
  const { context, cookies } = pages;
  return async (request, response) => {
    const id = formField(request, "continuation_id").toLowerCase();
    const token = formField(request, "continuation_token");
    if (!isUuid(id) || !/^[0-9a-f]{64}$/.test(token)) throw new PageProblem("continuation_invalid");
    const now = context.clock();
    const secret = newToken();
    const flowExpiresAt = new Date(now.getTime() + continuationFlowMs);
    const tokenSha256 = hashToken(token);
    const posted = await context.continuations.findByToken(id, tokenSha256);
    if (posted !== null && (await isClientDisabled(context, posted))) throw projectUnavailable();
    const bound = await context.continuations.bindBrowser(id, tokenSha256, hashToken(secret), flowExpiresAt, now);
    if (bound !== null) {
      cookies.set(response, "platform_continuation", `${id}.${secret}`, continuationFlowMs / 1000);
      return leadTo(response, "sign-in");
    }
    const known = await context.continuations.findByToken(id, tokenSha256);
    if (known === null || known.browser_sha256 === null) throw new PageProblem("continuation_invalid");
    // The browser that is bound already may post again. If it comes from another site, it does not send its Lax
    // cookie, so the error page also offers a link.
    const own = await findBoundContinuation(pages, request);
    if (own?.continuation.id === id) return leadTo(response, "sign-in");
    throw new PageProblem("continuation_in_use", 422, { href: pageAddress("sign-in"), project: null });
  };
}
