import { isUuid } from "@platform/kit/process/secrets";
import { ServiceError, type Violation } from "@platform/kit/rpc/errors";
import { sendServiceError } from "@platform/kit/web/http";
import type { Request, RequestHandler } from "express";
import { isClientDisabled } from "../../operations/admit-transaction.ts";
import { proveByLink } from "../../operations/prove-email.ts";
import { pageLanguage } from "../chosen-language.ts";
import { pathParameter } from "../inputs.ts";
import { pageAddress } from "../page-address.ts";
import { PageProblem, projectUnavailable } from "../page-problem.ts";
import { verifiedPage } from "../pages/problem-page.ts";
import { sendPage } from "../send-page.ts";
import { findBoundContinuation, type HostedPages } from "../visit.ts";

/** True if the client wants a page. Browsers accept text/html; other clients get the contract's JSON. */
export function wantsPage(request: Request): boolean {
  return request.accepts(["application/json", "text/html"]) === "text/html";
}

/** Email scanners send HEAD. The response tells them nothing, and the link stays valid. */
export const lookAtLinkRoute: RequestHandler = (request, response) => {
  response
    .type(wantsPage(request) ? "html" : "json")
    .status(200)
    .end();
};

/**
 * Verifies an address by the emailed link. Any browser may open the link, because it proves that the email was
 * received and not who is signed in.
 */
export function followLinkRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const transactionId = pathParameter(request, "transactionId");
    const token = pathParameter(request, "token");
    const isPage = wantsPage(request);
    const violations: Violation[] = [];
    if (!isUuid(transactionId)) {
      violations.push({ path: "path:transactionId", code: "invalid_format", message: "must be a UUID" });
    }
    if (!/^[0-9a-f]{64}$/.test(token)) {
      violations.push({ path: "path:token", code: "invalid_format", message: "must be 64 lowercase hex characters" });
    }
    if (violations.length > 0 && !isPage) {
      const error = new ServiceError("contract_violation", "The request violates the public contract.", {
        details: { violations },
      });
      return sendServiceError(response, error);
    }
    const id = transactionId.toLowerCase();
    const transaction = violations.length > 0 ? null : await pages.context.transactions.findForPerson(id);
    const isDisabled = transaction !== null && (await isClientDisabled(pages.context, transaction));
    if (isDisabled && isPage) throw projectUnavailable();
    const proven = transaction === null || isDisabled ? null : await proveByLink(pages.context, id, token);
    if (proven === null) {
      if (isPage) throw new PageProblem("link_used");
      return sendServiceError(
        response,
        new ServiceError(
          "verification_link_invalid",
          "The link is unknown, used, replaced or expired; request another.",
        ),
      );
    }
    if (!isPage) {
      response.json({ data: { status: "verified" } });
      return;
    }
    const bound = await findBoundContinuation(pages, request);
    const isHere = bound?.continuation.transaction_id === proven.id;
    sendPage(
      response,
      verifiedPage(pageLanguage(pages.cookies, request, proven.locale), isHere ? pageAddress("confirm") : null),
    );
  };
}
