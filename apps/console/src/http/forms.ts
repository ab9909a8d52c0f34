import { constantTimeEqual } from "@platform/kit/process/secrets";
import express, { type Request, type RequestHandler } from "express";
import type { ConsoleContext } from "./console-context.ts";
import { PageProblem } from "./page-problem.ts";
import type { SignedInLocals } from "./sign-in-routes.ts";
import { pathBelow } from "./within-project.ts";

/** Maximum size in bytes of a posted form, and of a form whose action allows a large one. */
export const formBytesMax = 64 * 1024;
export const largeFormBytesMax = 6 * 1024 * 1024;
const fieldsMax = 50;

/**
 * Reads a posted form. More than 64 KiB are read only for an action with a large form, and only if the address contains
 * a token that was issued to this session.
 * @param largePaths paths of the actions with large forms
 */
export function readForm({ sessions, personLimits }: ConsoleContext, largePaths: readonly string[]): RequestHandler {
  const parserOf = (limit: number) => express.urlencoded({ extended: false, limit, parameterLimit: fieldsMax });
  const [usual, large] = [parserOf(formBytesMax), parserOf(largeFormBytesMax)];
  return (request, response, next) => {
    const { session, sessionId } = response.locals as SignedInLocals;
    const { upload } = request.query;
    const isLarge =
      request.method === "POST" && largePaths.includes(pathBelow(request.path)) && typeof upload === "string";
    if (!isLarge || !sessions.isForm(sessionId, upload)) return usual(request, response, next);
    personLimits.openLargeForm(session.subject, response);
    return large(request, response, next);
  };
}

/**
 * Throws unless the form was sent from a page of this console, in this session. The token decides. In addition, the
 * headers in which the browser reports the origin of the form are checked.
 * @param origin origin of the console
 */
export function requireOwnForm(request: Request, csrf: string, origin: string): void {
  const site = request.headers["sec-fetch-site"];
  const from = request.headers.origin;
  const isForeign = (site !== undefined && site !== "same-origin") || (from !== undefined && from !== origin);
  const token = (request.body as Record<string, unknown> | undefined)?.csrf;
  if (isForeign || typeof token !== "string" || !constantTimeEqual(token, csrf))
    throw new PageProblem(
      403,
      "This form has expired",
      "Nothing was done. Open the page again and send the form from there.",
    );
}
