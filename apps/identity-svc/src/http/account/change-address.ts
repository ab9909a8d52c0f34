import { isEmailAddress, normalizeEmail } from "@platform/kit/web/mail";
import type { RequestHandler } from "express";
import { ownsEmail } from "../../domain/platform-account.ts";
import { type TextKey, textsOf } from "../../locales/texts.ts";
import { confirmNewAddress, requestNewAddress } from "../../operations/change-address.ts";
import { formField, queryParameter } from "../inputs.ts";
import { accountAddressPage, accountCodePage } from "../pages/account-change-pages.ts";
import { leadTo, sendPage } from "../send-page.ts";
import type { HostedPages } from "../visit.ts";
import { leadToAccount, recentlySignedIn } from "./account-visit.ts";

/** The maximum length of the address that a migration asserts. */
const emailLengthMax = 255;

/** Shows the form for the new address, or the one for the code that was sent to it. */
export function showAddressRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return recentlySignedIn(pages, "address", async (visit, request, response) => {
    const isOther = queryParameter(request, "asked") !== "";
    const asked = isOther ? null : await context.accountMails.findNewAddress(visit.account.id, context.clock());
    sendPage(response, asked === null ? accountAddressPage(visit, null) : accountCodePage(visit, asked, null));
  });
}

/** Sends a code to the new address. The page is the same whether or not another account has the address. */
export function changeAddressRoute(pages: HostedPages): RequestHandler {
  return recentlySignedIn(pages, "address", async (visit, request, response) => {
    const typed = formField(request, "email");
    const email = normalizeEmail(typed);
    const refuse = (message: TextKey, status: number): void => {
      const problem = { message: textsOf(visit.language)(message), email: typed };
      sendPage(response, accountAddressPage(visit, problem), status);
    };
    if (email.length > emailLengthMax || !isEmailAddress(email)) return refuse("account.newAddress.invalid", 422);
    if (ownsEmail(visit.account, email)) return refuse("account.newAddress.same", 422);
    const isSent = await requestNewAddress(pages.context, visit.account, email, visit.language);
    if (!isSent) return refuse("account.newAddress.limit", 429);
    leadTo(response, "account/address");
  });
}

export function confirmAddressRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return recentlySignedIn(pages, "address", async (visit, request, response) => {
    const asked = await context.accountMails.findNewAddress(visit.account.id, context.clock());
    if (asked === null) return leadTo(response, "account/address");
    // Copied codes often contain spaces, and Japanese keyboards enter full-width digits.
    const code = formField(request, "code").normalize("NFKC").replace(/\D/g, "");
    const result = await confirmNewAddress(context, visit.account, code, visit.language);
    if (result === "changed") return leadToAccount(pages, response, "address_changed");
    const message = textsOf(visit.language)(`code.${result}`);
    sendPage(response, accountCodePage(visit, asked, message), 422);
  });
}
