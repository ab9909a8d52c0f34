import type { RequestHandler } from "express";
import { isRegistering, type PlatformAccount } from "../../domain/platform-account.ts";
import { textsOf } from "../../locales/texts.ts";
import { beginVerification } from "../../operations/begin-verification.ts";
import { proveByCode } from "../../operations/prove-email.ts";
import { requireOwnForm } from "../form-token.ts";
import { formField, queryParameter } from "../inputs.ts";
import { verifyEmailPage } from "../pages/verify-email-page.ts";
import { leadTo, sendPage } from "../send-page.ts";
import { shownEmail } from "../shown-email.ts";
import { type HostedPages, loadVisit, type Visit } from "../visit.ts";

/** Returns whether an email of this account is queued or sent. */
function isMailSent({ transaction, account }: Visit): boolean {
  return account !== null && transaction.verification?.account_id === account.id;
}

export function showVerifyEmailRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    if (visit.step !== "verify-email") return leadTo(response, visit.step);
    const message = queryParameter(request, "opened") === "" ? null : textsOf(visit.language)("verify.notYet");
    sendPage(response, verifyEmailPage(visit, isMailSent(visit), message));
  };
}

export function verifyEmailRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "verify-email" || visit.account === null) return leadTo(response, visit.step);
    const texts = textsOf(visit.language);
    // Copied codes often contain spaces, and Japanese keyboards enter full-width digits.
    const code = formField(request, "code").normalize("NFKC").replace(/\D/g, "");
    const result = await proveByCode(pages.context, visit.transaction, visit.account.id, code);
    if (result === "proven") return leadTo(response, "confirm");
    const isUsable = result === "wrong";
    const page = verifyEmailPage(visit, isUsable, texts(isUsable ? "code.wrong" : "code.dead"));
    sendPage(response, page, 422);
  };
}

export function sendMailRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "verify-email" || visit.account === null) return leadTo(response, visit.step);
    const { transaction, account } = visit;
    const email = shownEmail(visit);
    const ownKind = isRegistering(account) ? "code" : "code_and_link";
    const kind = (await isAnothersEmail(pages, account, email)) ? "address_taken" : ownKind;
    const wanted = { account_id: account.id, email, kind, language: visit.language } as const;
    const begun = await beginVerification(context, transaction.id, wanted, "refuse");
    if (typeof begun !== "string") return leadTo(response, "verify-email");
    const page = verifyEmailPage(visit, isMailSent(visit), textsOf(visit.language)(`verify.${begun}`));
    sendPage(response, page, 429);
  };
}

/** True if another account has registered the address. The email reports this; the page does not. */
async function isAnothersEmail({ context }: HostedPages, account: PlatformAccount, email: string): Promise<boolean> {
  const holder = await context.accounts.findByEmail(email);
  return holder !== null && holder.account.id !== account.id;
}
