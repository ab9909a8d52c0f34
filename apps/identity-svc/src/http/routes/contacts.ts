import { hashToken } from "@platform/kit/process/secrets";
import type { RequestHandler } from "express";
import type { ProjectContact } from "../../domain/project-contact.ts";
import { pageLanguage } from "../chosen-language.ts";
import { formToken, requireOwnForm } from "../form-token.ts";
import { formField, pathParameter } from "../inputs.ts";
import { PageProblem } from "../page-problem.ts";
import { contactConfirmedPage, contactPage, contactRemovedPage } from "../pages/contact-pages.ts";
import { sendPage } from "../send-page.ts";
import type { HostedPages } from "../visit.ts";

/**
 * Shows the page behind a contact's emailed link. Opening it changes nothing, because mail programs also open links;
 * only the button does.
 */
export function showContactRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const token = pathParameter(request, "token");
    const { contact, project } = await findContact(pages, token);
    sendPage(
      response,
      contactPage({
        language: pageLanguage(pages.cookies, request, null),
        contact,
        project,
        token,
        formToken: tokenOfForm(pages, token),
      }),
    );
  };
}

/** Confirms the address. */
export function confirmContactRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const token = formField(request, "token");
    requireOwnForm(request, tokenOfForm(pages, token));
    const { project } = await findContact(pages, token);
    await context.contacts.confirm(hashToken(token), context.clock());
    sendPage(response, contactConfirmedPage(pageLanguage(pages.cookies, request, null), project));
  };
}

/** Ends the emails to the address. */
export function removeContactRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const token = formField(request, "token");
    requireOwnForm(request, tokenOfForm(pages, token));
    const { project } = await findContact(pages, token);
    await context.contacts.removeByToken(hashToken(token));
    sendPage(response, contactRemovedPage(pageLanguage(pages.cookies, request, null), project));
  };
}

/** @throws PageProblem contact_link_dead if the link is invalid or has expired */
async function findContact(
  { context }: HostedPages,
  token: string,
): Promise<{ readonly contact: ProjectContact; readonly project: string }> {
  const isToken = /^[0-9a-f]{64}$/.test(token);
  const contact = isToken ? await context.contacts.findByToken(hashToken(token), context.clock()) : null;
  const client = contact === null ? null : await context.clients.find(contact.project_client_id);
  if (contact === null || client === null) throw new PageProblem("contact_link_dead");
  return { contact, project: client.name };
}

const tokenOfForm = ({ context }: HostedPages, token: string): string =>
  formToken(context.keyring.current, `project-contact ${token}`);
