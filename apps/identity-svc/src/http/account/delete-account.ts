import { isUuid } from "@platform/kit/process/secrets";
import type { RequestHandler } from "express";
import { textsOf } from "../../locales/texts.ts";
import { beginPersonErasure, erasureProgress } from "../../operations/erase-person.ts";
import { listLinkedProjects } from "../../operations/export-account.ts";
import { pageLanguage } from "../chosen-language.ts";
import { formField } from "../inputs.ts";
import { deleteAccountPage, deletionPage } from "../pages/account-delete-pages.ts";
import { leadTo, sendPage } from "../send-page.ts";
import type { HostedPages } from "../visit.ts";
import { type AccountVisit, recentlySignedIn } from "./account-visit.ts";

const shownSeconds = 24 * 60 * 60;

export function showDeleteRoute(pages: HostedPages): RequestHandler {
  return recentlySignedIn(pages, "delete", async (visit, _request, response) => {
    sendPage(response, deleteAccountPage(visit, await countProjects(pages, visit), null));
  });
}

/** Starts the erasure of the person in every service, and redirects to a page that shows when it is done. */
export function deleteAccountRoute(pages: HostedPages): RequestHandler {
  const { context, cookies } = pages;
  return recentlySignedIn(pages, "delete", async (visit, request, response) => {
    if (formField(request, "understood") !== "yes") {
      const message = textsOf(visit.language)("account.delete.notUnderstood");
      return sendPage(response, deleteAccountPage(visit, await countProjects(pages, visit), message), 422);
    }
    const erasureId = await beginPersonErasure(context, visit.account, "");
    cookies.clear(response, "platform_session");
    cookies.set(response, "platform_erasure", erasureId, shownSeconds);
    leadTo(response, "account/deleted");
  });
}

/**
 * Shows the progress of the deletion. Its id is in a cookie of the browser that requested it, so no link can open
 * this page.
 */
export function showDeletionRoute(pages: HostedPages): RequestHandler {
  const { context, cookies } = pages;
  return async (request, response) => {
    const id = cookies.read(request, "platform_erasure") ?? "";
    const progress = isUuid(id) ? await erasureProgress(context, id) : null;
    if (progress === null) return leadTo(response, "account/sign-in");
    sendPage(response, deletionPage(pageLanguage(cookies, request, null), id, progress));
  };
}

const countProjects = async ({ context }: HostedPages, { account }: AccountVisit): Promise<number> =>
  (await listLinkedProjects(context, account.id)).length;
