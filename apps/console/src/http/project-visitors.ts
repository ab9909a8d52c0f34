import { isUuid } from "@platform/kit/process/secrets";
import { html } from "@platform/kit/web/http";
import type { RequestHandler } from "express";
import type { ConsoleContext } from "./console-context.ts";
import { readInput } from "./inputs.ts";
import { PageProblem } from "./page-problem.ts";
import type { SignedInLocals } from "./sign-in-routes.ts";
import { type ProjectOfVisit, projectPath } from "./within-project.ts";

const notFound = (): PageProblem =>
  new PageProblem(
    404,
    "There is nothing here",
    "You are not a member of a project with this id. Your projects are listed at /projects.",
  );

/**
 * Admits members and operators to the pages of a project. To anyone else, the project is reported as one that does not
 * exist.
 */
export function enterProject({ backend }: ConsoleContext): RequestHandler {
  return async (request, response, next) => {
    const { session, correlationId } = response.locals as SignedInLocals;
    const id = readInput("path", request.params, "project");
    if (!isUuid(id)) throw notFound();
    const memberships = await backend.membershipsOf({ operatorToken: session.operatorToken, correlationId });
    const membership = memberships.find(({ clientId }) => clientId === id) ?? null;
    if (membership === null && session.roles.length === 0) throw notFound();
    response.locals.project = { id, membership } satisfies ProjectOfVisit;
    next();
  };
}

/** Redirects people without a role on the platform to their project, or to the list of their projects. */
export function leadToProjects({ backend }: ConsoleContext): RequestHandler {
  return async (request, response, next) => {
    const { session, correlationId } = response.locals as SignedInLocals;
    if (session.roles.length > 0 || request.path === "/projects" || request.path === "/sign-out") return next();
    if (request.method !== "GET") throw notFound();
    const [first, ...others] = await backend.membershipsOf({ operatorToken: session.operatorToken, correlationId });
    response.redirect(303, first === undefined || others.length > 0 ? "/projects" : projectPath(first.clientId));
  };
}

/** Text for a person who is not a member of any project. */
export const noProjects = html`You are not a member of any project. Ask the owner of a project to invite you, then sign in again.`;
